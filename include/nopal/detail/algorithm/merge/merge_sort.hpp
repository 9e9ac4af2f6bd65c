// SPDX-License-Identifier: Apache-2.0
// This sorts stably by merging into memory for as many elements and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/first_failure.hpp"
#include "nopal/detail/algorithm/merge/merge_moved.hpp"
#include "nopal/detail/algorithm/merge/merge_run.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/sort/insertion.hpp"
#include "nopal/detail/algorithm/sort/sorted_run.hpp"
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

  static constexpr bool by_pairs = cheap_to_move<value> && std::is_pointer_v<I>;
  static constexpr std::ptrdiff_t few = by_pairs ? 16 : 8;

  void sort(part p, place to) noexcept {
    if (p.size() <= few) return sort_few(p, to);
    if (p.size() >= 8 * few && is_sorted(p)) return leave(p, to);
    const part a{p.from, p.middle(few)}, b{a.to, p.to};
    const place from = to == place::range ? place::memory : place::range;
    if (p.size() > grain_) {
      failure_.invoke_both([this, a, from] { sort(a, from); }, [this, b, from] { sort(b, from); });
      failure_.keep([] { check_block(); });
    } else {
      sort(a, from);
      sort(b, from);
    }
    if (to == place::range)
      merge_moved<moving_out_of_memory>({a, b}, memory_, first_, p.from, how_);
    else
      merge_moved<moving_into_memory>({a, b}, first_, memory_, p.from, how_);
  }

  /// Whether a part is sorted, which shows soon if it is not.
  bool is_sorted(part p) noexcept {
    bool sorted = false;
    failure_.keep([&] {
      sorted = run_end(first_, p.from + 1, p.to,
                       [this](auto&& x, auto&& y) { return !less_(y, x); }) == p.to;
    });
    return sorted;
  }

  /// Moves what is in the range to where it is asked for.
  void leave(part p, place to) noexcept {
    if (to == place::range) return;
    I from = advanced(first_, p.from);
    value* out = memory_ + p.from;
    put_all<moving_into_memory>(from, advanced(first_, p.to), out);
  }

  void sort_few(part p, place to) noexcept {
    if constexpr (by_pairs) {
      if (p.size() == few) return sort_by_pairs(first_ + p.from, memory_ + p.from, to);
    }
    failure_.keep([&] { insertion_sort<true>(advanced(first_, p.from), p.size(), less_); });
    leave(p, to);
  }

  /// Sorts so few elements by four rounds of merges, which have no branches. The rounds go from one
  /// place to the other, so the first one goes to where the last one is to end.
  void sort_by_pairs(value* in_range, value* in_memory, place to) noexcept {
    value *from = to == place::range ? in_memory : in_range,
          *other = to == place::range ? in_range : in_memory;
    std::copy_n(in_range, from == in_range ? 0 : few, from);
    failure_.keep([&] {
      for (std::ptrdiff_t i = 0; i < few; i += 2) put_in_order(from[i], from[i + 1]);
      for (std::ptrdiff_t length = 2; length < few; length *= 2, std::swap(from, other))
        for (std::ptrdiff_t i = 0; i < few; i += 2 * length) {
          value* middle = from + i + length;
          merge_state<value*, value*, value*> s{from + i, middle, middle, middle + length,
                                                other + i};
          merge_from_ends<copying>(s, length, less_);
        }
    });
    if (value* asked = to == place::range ? in_range : in_memory; from != asked)
      std::copy_n(from, few, asked);
  }

  void put_in_order(value& x, value& y) const {
    const bool swap = less_(y, x);
    const value low = swap ? y : x, high = swap ? x : y;
    x = low;
    y = high;
  }

  I first_;
  value* memory_;
  const Less& less_;
  std::ptrdiff_t grain_;
  first_failure failure_;
  moved_merge<Less> how_{less_, grain_, failure_};
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
