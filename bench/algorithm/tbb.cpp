// SPDX-License-Identifier: Apache-2.0
// The algorithms of oneTBB, and the loops that its documentation makes others of.
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "algorithm/enroll.hpp"

namespace nopal_bench {
namespace {

using block = tbb::blocked_range<std::size_t>;

struct tbb_family : tbb_session {
  static constexpr const char* name = "tbb";
  explicit tbb_family(unsigned workers) : tbb_session(workers, 0) {}

  template <class T>
  void sort(std::span<T> all) {
    tbb::parallel_sort(all.begin(), all.end());
  }
  /// A scan of how many are kept, whose second pass puts them where they belong.
  template <class T, class Pred>
  std::size_t copy_if(std::span<const T> all, std::span<T> to, Pred pred) {
    return tbb::parallel_scan(
        block(0, all.size()), std::size_t{0},
        [=](const block& part, std::size_t at, bool is_final) {
          for (std::size_t i = part.begin(); i != part.end(); ++i)
            if (pred(all[i])) {
              if (is_final) to[at] = all[i];
              ++at;
            }
          return at;
        },
        std::plus<>());
  }
  template <class T>
  std::size_t min_element(std::span<const T> all) {
    return tbb::parallel_reduce(
        block(0, all.size()), std::size_t{0},
        [=](const block& part, std::size_t least) {
          for (std::size_t i = part.begin(); i != part.end(); ++i)
            if (all[i] < all[least]) least = i;
          return least;
        },
        [=](std::size_t a, std::size_t b) {
          return all[b] < all[a] || (all[b] == all[a] && b < a) ? b : a;
        });
  }
  template <class T, class F>
  T transform_reduce(std::span<const T> all, F f) {
    return tbb::parallel_reduce(
        block(0, all.size()), T(),
        [=](const block& part, T sum) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) sum += f(all[i]);
          return sum;
        },
        std::plus<>());
  }
  template <class T>
  void inclusive_scan(std::span<const T> all, std::span<T> to) {
    tbb::parallel_scan(
        block(0, all.size()), T(),
        [=](const block& part, T sum, bool is_final) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            sum += all[i];
            if (is_final) to[i] = sum;
          }
          return sum;
        },
        std::plus<>());
  }
  template <class T, class Key>
  std::vector<std::size_t> histogram(std::span<const T> all, std::size_t buckets, Key key) {
    using counts_type = std::vector<std::size_t>;
    tbb::combinable<counts_type> counts([=] { return counts_type(buckets); });
    tbb::parallel_for(block(0, all.size()), [&](const block& part) {
      counts_type& mine = counts.local();
      for (std::size_t i = part.begin(); i != part.end(); ++i) ++mine[key(all[i])];
    });
    counts_type sums(buckets);
    counts.combine_each([&](const counts_type& one) {
      std::transform(one.begin(), one.end(), sums.begin(), sums.begin(), std::plus<>());
    });
    return sums;
  }
  std::vector<key_value> reduce_by_key(std::span<const key_value> all) {
    using sums_type = std::unordered_map<std::uint64_t, std::uint64_t>;
    tbb::combinable<sums_type> sums;
    tbb::parallel_for(block(0, all.size()), [&](const block& part) {
      sums_type& mine = sums.local();
      for (std::size_t i = part.begin(); i != part.end(); ++i) mine[all[i].first] += all[i].second;
    });
    sums_type together;
    sums.combine_each([&](sums_type& one) {
      if (together.empty()) return together.swap(one);
      for (const auto& [key, sum] : one) together[key] += sum;
    });
    return {together.begin(), together.end()};
  }
};

const bool enrolled = enroll_algorithms<tbb_family>();

}  // namespace
}  // namespace nopal_bench
