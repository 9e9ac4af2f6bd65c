// SPDX-License-Identifier: Apache-2.0
// OpenMP's loops: reductions and scans, for what is natural by these.
#include <omp.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithm/enroll.hpp"

namespace nopal_bench {
namespace {

struct openmp_family {
  static constexpr const char* name = "openmp";
  static constexpr bool parallel = true;
  static description peer() {
    return {{"name", "OpenMP, libgomp"}, {"version", std::to_string(_OPENMP)}};
  }
  explicit openmp_family(unsigned workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(workers));
  }
  template <class F>
  void run(F f) {
    f();
  }

  struct place {
    std::size_t at;
    std::uint64_t value;
  };
  static place lesser(place a, place b) {
    return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a;
  }

  std::size_t min_element(std::span<const std::uint64_t> all) {
    place least{0, all[0]};
#pragma omp declare reduction(least_place:place : omp_out = lesser(omp_out, omp_in)) \
    initializer(omp_priv = omp_orig)
#pragma omp parallel for reduction(least_place : least)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] < least.value) least = {i, all[i]};
    return least.at;
  }
  template <class T, class F>
  T transform_reduce(std::span<const T> all, F f) {
    T sum{};
#pragma omp parallel for simd reduction(+ : sum)
    for (std::size_t i = 0; i < all.size(); ++i) sum += f(all[i]);
    return sum;
  }
  template <class T>
  void inclusive_scan(std::span<const T> all, std::span<T> to) {
    T sum{};
#pragma omp parallel for reduction(inscan, + : sum)
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += all[i];
#pragma omp scan inclusive(sum)
      to[i] = sum;
    }
  }
  template <class T, class Key>
  std::vector<std::size_t> histogram(std::span<const T> all, std::size_t buckets, Key key) {
    std::vector<std::size_t> counts(buckets);
    std::size_t* const count = counts.data();
#pragma omp parallel for reduction(+ : count[ : buckets])
    for (std::size_t i = 0; i < all.size(); ++i) ++count[key(all[i])];
    return counts;
  }
};

const bool enrolled = enroll_algorithms<openmp_family>();

}  // namespace
}  // namespace nopal_bench
