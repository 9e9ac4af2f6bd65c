// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

#include "harness/program.hpp"

namespace nopal_bench {

/// A parallel region of a given number of threads in which one thread starts and all run tasks.
/// Their stacks are set by OMP_STACKSIZE, which main() sees to.
class openmp_session {
 public:
  static constexpr bool parallel = true;
  static description peer() {
#if defined(__clang__)
    return {{"name", "OpenMP, libomp"},
            {"version", std::to_string(_OPENMP) + ", clang " __clang_version__}};
#else
    return {{"name", "OpenMP, libgomp"},
            {"version", std::to_string(_OPENMP) + ", g++ " __VERSION__}};
#endif
  }

  openmp_session(unsigned workers, std::size_t) : workers_(static_cast<int>(workers)) {
    omp_set_dynamic(0);
  }

  template <class F, class... A>
  auto run(F f, A... args) {
    using result_type = std::invoke_result_t<F, A...>;
    if constexpr (std::is_void_v<result_type>) {
#pragma omp parallel num_threads(workers_)
#pragma omp single
      f(args...);
    } else {
      result_type result{};
#pragma omp parallel num_threads(workers_)
#pragma omp single
      result = f(args...);
      return result;
    }
  }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  int workers_;
};

}  // namespace nopal_bench
