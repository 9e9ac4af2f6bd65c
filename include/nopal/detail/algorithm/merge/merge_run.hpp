// SPDX-License-Identifier: Apache-2.0
// One strand merges two sorted ranges.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// How a merge hands an element on. The place of the result holds an object, and the source keeps
/// its own.
struct copying {
  template <class I, class O>
  static void put(const I& from, const O& to) {
    *to = *from;
  }
};
/// The place of the result holds an object, and the source keeps what is left of its own.
struct moving {
  template <class I, class O>
  static void put(const I& from, const O& to) {
    *to = std::ranges::iter_move(from);
  }
};
/// The place of the result is raw memory.
struct moving_into_memory {
  template <class I, class O>
  static void put(const I& from, const O& to) {
    std::construct_at(to, std::ranges::iter_move(from));
  }
};
/// The source is raw memory afterwards.
struct moving_out_of_memory {
  template <class I, class O>
  static void put(const I& from, const O& to) {
    *to = std::move(*from);
    std::destroy_at(from);
  }
};

/// Two ranges and where their merge goes. What is left of the ranges goes to `out` and behind it,
/// so that whoever catches an exception of a comparison can hand that on.
template <class I1, class I2, class O>
struct merge_state {
  I1 first1, last1;
  I2 first2, last2;
  O out;
};

/// Hands the elements of a range on, in order.
template <class How, class I, class O>
void put_all(I& first, const I& last, O& out) {
  for (; first != last; ++first, ++out) How::put(first, out);
}

/// Hands on all that is left, the first range before the second.
template <class How, class I1, class I2, class O>
void put_rest(merge_state<I1, I2, O>& s) {
  put_all<How>(s.first1, s.last1, s.out);
  put_all<How>(s.first2, s.last2, s.out);
}

/// Whether the next element of two ranges is chosen without a branch. A mispredicted branch costs
/// more than all else that a merge does with a small plain value. The addresses of both elements
/// are known at once, so a larger plain value is chosen in the same way.
template <class I1, class I2>
inline constexpr bool chosen_without_branch =
    std::is_pointer_v<I1> &&
    std::same_as<std::remove_const_t<std::remove_pointer_t<I1>>,
                 std::remove_const_t<std::remove_pointer_t<I2>>> &&
    plain_value<std::iter_value_t<I1>>;

/// Where a merge is that goes on at both ends.
template <class T, class U, class O>
struct merge_ends {
  T *a, *last_a;
  U *b, *last_b;
  O out, last_out;

  template <class How, class Less>
  NOPAL_INLINE_STEP inline void step_at_front(const Less& second_before_first) {
    const bool second = second_before_first(*b, *a);
    How::put(second ? static_cast<const T*>(b) : static_cast<const T*>(a), out);
    b += second;
    a += !second;
    ++out;
  }
  template <class How, class Less>
  NOPAL_INLINE_STEP inline void step_at_back(const Less& second_before_first) {
    const bool first = second_before_first(*(last_b - 1), *(last_a - 1));
    --last_out;
    How::put(first ? static_cast<const T*>(last_a - 1) : static_cast<const T*>(last_b - 1),
             last_out);
    last_a -= first;
    last_b -= !first;
  }
};

/// Merges from both ends, so many steps each. Each range has as many elements at least, so neither
/// comes to its end before the last step. A step waits for the one before it at its own end only,
/// so two take the time of one. This is not inlined, because of what it throws: see
/// held_exception.hpp.
template <class How, class T, class U, class O, class Less>
NOPAL_NOINLINE void merge_from_ends(merge_state<T*, U*, O>& s, std::ptrdiff_t steps,
                                    const Less& second_before_first) {
  const std::ptrdiff_t n = (s.last1 - s.first1) + (s.last2 - s.first2);
  merge_ends<T, U, O> m{s.first1, s.last1, s.first2, s.last2, s.out, advanced(s.out, n)};
  const auto give_back = [&] { s = {m.a, m.last_a, m.b, m.last_b, m.out}; };
  try {
    for (; steps > 0; --steps) {
      m.template step_at_front<How>(second_before_first);
      m.template step_at_back<How>(second_before_first);
    }
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
}

/// Merges two ranges. Of equal elements those of the first range come first.
/// \param second_before_first  compares an element of the second range with one of the first.
template <class How, class I1, class I2, class O, class Less>
void merge_run(merge_state<I1, I2, O>& s, const Less& second_before_first) {
  if constexpr (chosen_without_branch<I1, I2>) {
    // What the other range has left comes to `out` below; between the ends there is room for that.
    while (const std::ptrdiff_t steps = std::min(s.last1 - s.first1, s.last2 - s.first2))
      merge_from_ends<How>(s, steps, second_before_first);
  } else {
    while (s.first1 != s.last1 && s.first2 != s.last2) {
      if (second_before_first(*s.first2, *s.first1)) {
        How::put(s.first2, s.out);
        ++s.first2;
      } else {
        How::put(s.first1, s.out);
        ++s.first1;
      }
      ++s.out;
    }
  }
  put_rest<How>(s);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
