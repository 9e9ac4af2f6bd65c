// SPDX-License-Identifier: Apache-2.0
// The serial algorithms of the standard library, and loops where it has none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithm/enroll.hpp"
#include "harness/sessions/serial.hpp"

namespace nopal_bench {
namespace {

struct std_family : serial_session {
  static constexpr const char* name = "std";
  static description peer() {
    return {{"name", "libstdc++, serial"}, {"version", std::to_string(_GLIBCXX_RELEASE)}};
  }
  explicit std_family(unsigned workers) : serial_session(workers, 0) {}

  template <class T>
  void sort(std::span<T> all) {
    std::sort(all.begin(), all.end());
  }
  template <class T>
  void stable_sort(std::span<T> all) {
    std::stable_sort(all.begin(), all.end());
  }
  template <class T, class Pred>
  std::size_t copy_if(std::span<const T> all, std::span<T> to, Pred pred) {
    return offset(to, std::copy_if(all.begin(), all.end(), to.begin(), pred));
  }
  template <class T, class Pred>
  std::size_t partition(std::span<T> all, Pred pred) {
    return offset(all, std::partition(all.begin(), all.end(), pred));
  }
  template <class T>
  std::size_t unique(std::span<T> all) {
    return offset(all, std::unique(all.begin(), all.end()));
  }
  template <class T, class Pred>
  std::size_t find_if(std::span<const T> all, Pred pred) {
    return offset(all, std::find_if(all.begin(), all.end(), pred));
  }
  template <class T>
  std::size_t min_element(std::span<const T> all) {
    return offset(all, std::min_element(all.begin(), all.end()));
  }
  template <class T, class F>
  T transform_reduce(std::span<const T> all, F f) {
    return std::transform_reduce(all.begin(), all.end(), T(), std::plus<>(), f);
  }
  template <class T>
  void inclusive_scan(std::span<const T> all, std::span<T> to) {
    std::inclusive_scan(all.begin(), all.end(), to.begin());
  }
  template <class T, class Key>
  std::vector<std::size_t> histogram(std::span<const T> all, std::size_t buckets, Key key) {
    std::vector<std::size_t> counts(buckets);
    for (const T& x : all) ++counts[key(x)];
    return counts;
  }
  std::vector<key_value> reduce_by_key(std::span<const key_value> all) {
    std::unordered_map<std::uint64_t, std::uint64_t> sums;
    for (const auto& [key, value] : all) sums[key] += value;
    return {sums.begin(), sums.end()};
  }
  std::vector<group> group_by(std::span<const key_value> all) {
    std::unordered_map<std::uint64_t, std::size_t> place;
    std::vector<group> groups;
    for (const auto& [key, value] : all) {
      const auto [at, is_new] = place.try_emplace(key, groups.size());
      if (is_new) groups.push_back({key, {}});
      groups[at->second].second.push_back(value);
    }
    return groups;
  }

 private:
  template <class T, class I>
  static std::size_t offset(std::span<T> all, I at) {
    return static_cast<std::size_t>(at - all.begin());
  }
};

const bool enrolled = enroll_algorithms<std_family>();

}  // namespace
}  // namespace nopal_bench
