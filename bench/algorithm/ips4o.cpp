// SPDX-License-Identifier: Apache-2.0
// In-place super scalar samplesort by its authors: the sequential one for one worker, the parallel
// one with a pool of threads for more.
#include <functional>
#include <ips4o.hpp>
#include <span>

#include "algorithm/enroll.hpp"

namespace nopal_bench {
namespace {

struct ips4o_family {
  static constexpr const char* name = "ips4o";
  static constexpr bool parallel = true;
  static description peer() { return {{"name", "ips4o"}, {"version", ""}}; }
  explicit ips4o_family(unsigned workers) : threads_(static_cast<int>(workers)) {}

  template <class F>
  void run(F f) {
    f();
  }
  template <class T>
  void sort(std::span<T> all) {
    ips4o::parallel::sort(all.begin(), all.end(), std::less<>(), threads_);
  }

 private:
  ips4o::StdThreadPool threads_;
};

const bool enrolled = enroll_algorithms<ips4o_family>();

}  // namespace
}  // namespace nopal_bench
