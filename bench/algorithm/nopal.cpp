// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nopal/algorithm/copy_if.hpp>
#include <nopal/algorithm/find.hpp>
#include <nopal/algorithm/group_by.hpp>
#include <nopal/algorithm/histogram.hpp>
#include <nopal/algorithm/integer_sort.hpp>
#include <nopal/algorithm/min_element.hpp>
#include <nopal/algorithm/partition.hpp>
#include <nopal/algorithm/reduce_by_key.hpp>
#include <nopal/algorithm/scan.hpp>
#include <nopal/algorithm/sort.hpp>
#include <nopal/algorithm/stable_sort.hpp>
#include <nopal/algorithm/transform_reduce.hpp>
#include <nopal/algorithm/unique.hpp>
#include <nopal/runtime.hpp>
#include <span>
#include <utility>
#include <vector>

#include "algorithm/enroll.hpp"
#include "harness/sessions/nopal_setup.hpp"

namespace nopal_bench {
namespace {

struct nopal_family {
  static constexpr const char* name = "nopal";
  static constexpr bool parallel = true;
  static description peer() { return nopal_peer(); }
  explicit nopal_family(unsigned workers) : runtime_(nopal_options(workers)) {}

  template <class F>
  void run(F&& f) {
    runtime_.run(std::forward<F>(f));
  }
  template <class T>
  void sort(std::span<T> all) {
    nopal::sort(all);
  }
  template <class T>
  void stable_sort(std::span<T> all) {
    nopal::stable_sort(all);
  }
  template <class T, class Key>
  void integer_sort(std::span<T> all, Key key) {
    nopal::integer_sort(all, key);
  }
  template <class T, class Pred>
  std::size_t copy_if(std::span<const T> all, std::span<T> to, Pred pred) {
    return offset(to, nopal::copy_if(all, to.begin(), pred));
  }
  template <class T, class Pred>
  std::size_t partition(std::span<T> all, Pred pred) {
    return offset(all, nopal::partition(all, pred).begin());
  }
  template <class T>
  std::size_t unique(std::span<T> all) {
    return offset(all, nopal::unique(all).begin());
  }
  template <class T, class Pred>
  std::size_t find_if(std::span<const T> all, Pred pred) {
    return offset(all, nopal::find_if(all, pred));
  }
  template <class T>
  std::size_t min_element(std::span<const T> all) {
    return offset(all, nopal::min_element(all));
  }
  template <class T, class F>
  T transform_reduce(std::span<const T> all, F f) {
    return nopal::transform_reduce(all, T(), std::plus<>(), f);
  }
  template <class T>
  void inclusive_scan(std::span<const T> all, std::span<T> to) {
    nopal::scan(all, to.begin(), std::plus<>());
  }
  template <class T, class Key>
  std::vector<std::size_t> histogram(std::span<const T> all, std::size_t buckets, Key key) {
    return nopal::histogram(all, buckets, key);
  }
  std::vector<key_value> reduce_by_key(std::span<const key_value> all) {
    return nopal::reduce_by_key(all);
  }
  std::vector<group> group_by(std::span<const key_value> all) {
    return nopal::group_by(all, &key_value::first, &key_value::second);
  }

 private:
  template <class T, class I>
  static std::size_t offset(std::span<T> all, I at) {
    return static_cast<std::size_t>(at - all.begin());
  }

  nopal::runtime runtime_;
};

const bool enrolled = enroll_algorithms<nopal_family>();

}  // namespace
}  // namespace nopal_bench
