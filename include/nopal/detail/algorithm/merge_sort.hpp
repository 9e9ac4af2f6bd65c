// SPDX-License-Identifier: Apache-2.0
// This sorts stably by merging into memory for as many elements and back.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/first_failure.hpp"
#include "nopal/detail/algorithm/halves.hpp"
#include "nopal/detail/algorithm/insertion.hpp"
#include "nopal/detail/algorithm/merge_run.hpp"
#include "nopal/detail/algorithm/merge_split.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Sorts the halves of a range into the other one of two places, the range and the memory, and
/// merges them from there into the place that is asked for.
///
/// Half of the elements may be in the memory when a comparison throws or a stop comes. So nothing
/// here throws: the exception is kept, no more comparisons are made, and all that was to be merged
/// is only moved, to where the merge would have brought it. Then all elements are in the range, and
/// the exception goes on.
template <class I, class Less>
class merge_sort {
 public:
  using value = std::iter_value_t<I>;

  merge_sort(I first, value* memory, const Less& less, std::ptrdiff_t grain) noexcept
      : first_(first), memory_(memory), less_(less), grain_(grain) {}

  /// Sorts n elements.
  void run(std::ptrdiff_t n) {
    sort({0, n}, place::range);
    failure_.rethrow_if_any();
  }

 private:
  enum class place : bool { range, memory };

  /// What one strand sorts by insertion. A comparison of small plain values costs less than a merge
  /// of short ranges does for other things.
  static constexpr std::ptrdiff_t insertion = std::is_trivially_copyable_v<value> ? 16 : 8;

  void sort(part p, place to) noexcept {
    if (p.size() <= insertion) return sort_few(p, to);
    const std::ptrdiff_t middle = p.from + p.size() / 2;
    const part a{p.from, middle}, b{middle, p.to};
    const place from = to == place::range ? place::memory : place::range;
    if (p.size() > grain_) {
      invoke_halves([this, a, from]() noexcept { sort(a, from); },
                    [this, b, from]() noexcept { sort(b, from); });
      failure_.keep([] { check_block(); });
    } else {
      sort(a, from);
      sort(b, from);
    }
    if (to == place::range)
      merge<moving_out_of_memory>({a, b}, memory_, first_, p.from);
    else
      merge<moving_into_memory>({a, b}, first_, memory_, p.from);
  }

  void sort_few(part p, place to) noexcept {
    failure_.keep([&] { insertion_sort<true>(advanced(first_, p.from), p.size(), less_); });
    if (to == place::range) return;
    I from = advanced(first_, p.from);
    value* out = memory_ + p.from;
    put_all<moving_into_memory>(from, advanced(first_, p.to), out);
  }

  template <class How, class From, class To>
  void merge(two_parts p, From from, To to, std::ptrdiff_t out) noexcept {
    if (p.size() > 2 * grain_) {
      const std::ptrdiff_t half = p.size() / 2;
      split_parts s{{p.first, {p.second.from, p.second.from}}, {{p.first.to, p.first.to}, p.second}};
      failure_.keep([&] { s = split_merge(from, from, p, half, less_); });
      const two_parts left = s.left, right = s.right;
      return invoke_halves([=, this]() noexcept { merge<How>(left, from, to, out); },
                           [=, this]() noexcept { merge<How>(right, from, to, out + left.size()); });
    }
    merge_state<From, From, To> s{advanced(from, p.first.from), advanced(from, p.first.to),
                                  advanced(from, p.second.from), advanced(from, p.second.to),
                                  advanced(to, out)};
    failure_.keep([&] { merge_run<How>(s, less_); });
    put_rest<How>(s);
  }

  I first_;
  value* memory_;
  const Less& less_;
  std::ptrdiff_t grain_;
  first_failure failure_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
