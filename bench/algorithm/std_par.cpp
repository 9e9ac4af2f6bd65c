// SPDX-License-Identifier: Apache-2.0
// The algorithms of the standard library with std::execution::par, which libstdc++ runs by oneTBB.
#include <algorithm>
#include <cstddef>
#include <execution>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "algorithm/enroll.hpp"
#include "harness/sessions/tbb.hpp"

namespace nopal_bench {
namespace {

using std::execution::par;

struct std_par_family : tbb_session {
  static constexpr const char* name = "std-par";
  static description peer() {
    return {{"name", "libstdc++, std::execution::par"},
            {"version", std::to_string(_GLIBCXX_RELEASE) + ", oneTBB " + TBB_runtime_version()}};
  }
  explicit std_par_family(unsigned workers) : tbb_session(workers, 0) {}

  template <class T>
  void sort(std::span<T> all) {
    std::sort(par, all.begin(), all.end());
  }
  template <class T>
  void stable_sort(std::span<T> all) {
    std::stable_sort(par, all.begin(), all.end());
  }
  template <class T, class Pred>
  std::size_t copy_if(std::span<const T> all, std::span<T> to, Pred pred) {
    return offset(to, std::copy_if(par, all.begin(), all.end(), to.begin(), pred));
  }
  template <class T, class Pred>
  std::size_t partition(std::span<T> all, Pred pred) {
    return offset(all, std::partition(par, all.begin(), all.end(), pred));
  }
  template <class T>
  std::size_t unique(std::span<T> all) {
    return offset(all, std::unique(par, all.begin(), all.end()));
  }
  template <class T, class Pred>
  std::size_t find_if(std::span<const T> all, Pred pred) {
    return offset(all, std::find_if(par, all.begin(), all.end(), pred));
  }
  template <class T>
  std::size_t min_element(std::span<const T> all) {
    return offset(all, std::min_element(par, all.begin(), all.end()));
  }
  template <class T, class F>
  T transform_reduce(std::span<const T> all, F f) {
    return std::transform_reduce(par, all.begin(), all.end(), T(), std::plus<>(), f);
  }
  template <class T>
  void inclusive_scan(std::span<const T> all, std::span<T> to) {
    std::inclusive_scan(par, all.begin(), all.end(), to.begin());
  }

 private:
  template <class T, class I>
  static std::size_t offset(std::span<T> all, I at) {
    return static_cast<std::size_t>(at - all.begin());
  }
};

const bool enrolled = enroll_algorithms<std_par_family>();

}  // namespace
}  // namespace nopal_bench
