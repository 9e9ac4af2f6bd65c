// SPDX-License-Identifier: Apache-2.0
// These test whether a pattern begins at an element.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"
#include "nopal/detail/algorithm/search/first_match.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/windows.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The end of a range that is searched: none if a pattern is sought only where it fits in.
template <class I, class S>
constexpr auto end_of_search(const S& last) {
  if constexpr (splittable_by<S, I>)
    return std::unreachable_sentinel;
  else
    return last;
}

/// Whether all elements of a pattern, of which there is at least one, follow each other from here.
/// The range may end within the pattern, unless End is std::unreachable_sentinel_t.
template <class End, class I2, class S2, class Pred, class Proj1, class Proj2>
struct pattern_test {
  End end;
  I2 first2;
  S2 last2;
  const Pred& pred;
  const Proj1& proj1;
  const Proj2& proj2;

  template <class I>
  bool operator()(const I& at) const {
    return equal(at, first2) && follows(at);
  }
  template <class I>
  bool equal(const I& at, const I2& i) const {
    return static_cast<bool>(std::invoke(pred, std::invoke(proj1, *at), std::invoke(proj2, *i)));
  }

 private:
  /// This is a function of its own, so that the loop over the range is short.
  template <class I>
  NOPAL_NOINLINE bool follows(I at) const {
    for (I2 i = std::ranges::next(first2); !(i == last2); ++i)
      if (++at == end || !equal(at, i)) return false;
    return true;
  }
};

/// The same test for a search from the end, which compares the last element of the pattern first:
/// where patterns are sought by their ends, those are likely to tell. The one that is found is
/// compared twice.
template <class Pattern, class I2>
struct pattern_test_from_end {
  Pattern pattern;
  I2 last_element;
  std::ptrdiff_t from_first;  ///< How far the last element is from the first.

  template <class I>
  bool operator()(const I& at) const {
    return pattern.equal(advanced(at, from_first), last_element) && pattern(at);
  }
};

/// Whether an element equals one of some others.
template <class I2, class S2, class Pred, class Proj1, class Proj2>
struct one_of_test {
  I2 first2;
  S2 last2;
  const Pred& pred;
  const Proj1& proj1;
  const Proj2& proj2;

  template <class I>
  bool operator()(const I& at) const {
    for (I2 i = first2; !(i == last2); ++i)
      if (std::invoke(pred, std::invoke(proj1, *at), std::invoke(proj2, *i))) return true;
    return false;
  }
};

/// Whether so many equal elements begin here, in a range that is walked.
template <class End, class N, class T, class Pred, class Proj>
struct repetition_test {
  End end;
  N count;
  const T& value;
  const Pred& pred;
  const Proj& proj;

  template <class I>
  bool operator()(I at) const {
    for (N left = count; left > 0; --left, ++at)
      if (at == end || !std::invoke(pred, std::invoke(proj, *at), value)) return false;
    return true;
  }
};

/// Searches a block for the first element from which on `count` elements equal a value; equal(i)
/// says whether element i does. No element is tested twice. A run that is too short is found from
/// its end, so most elements of such a block are not tested at all if the runs are short.
template <class Equal>
std::ptrdiff_t first_repetition(part block, std::ptrdiff_t count, const Equal& equal) {
  std::ptrdiff_t from = block.from;
  std::ptrdiff_t known = from;  // the elements from … known - 1 are equal
  while (from < block.to) {
    std::ptrdiff_t k = from + count;
    while (k > known && equal(k - 1)) --k;
    if (k == known) return from;
    known = from + count;
    from = k;
  }
  return block.to;
}

/// The element before `end`, of elements that are searched from the last one to the first.
template <class I>
struct backwards {
  I end;
};
template <class I>
inline constexpr bool moves_freely<backwards<I>> = true;
template <class I>
constexpr backwards<I> advanced(backwards<I> i, std::ptrdiff_t n) {
  return {advanced(i.end, -n)};
}

/// Returns how many of n elements come behind the last one for which test(iterator) is true.
template <class I, class Test>
std::ptrdiff_t last_true(I at, std::ptrdiff_t n, const Test& test) {
  if constexpr (moves_freely<I>) {
    return first_true(backwards<I>{advanced(at, n)}, n,
                      [&](const backwards<I>& i)
                          NOPAL_INLINE_STEP { return test(advanced(i.end, -1)); });
  } else {
    std::ptrdiff_t behind = n;
    for (std::ptrdiff_t left = n; left != 0; step_on(at, left))
      if (--left, test(at)) behind = left;
    return behind;
  }
}

/// Searches a range from its end. Returns the last iterator in the first n elements of `all` for
/// which test(iterator) is true, or `none`.
template <class I, class Elements, class Test>
I last_where(const Elements& all, std::ptrdiff_t n, const I& first, I none, const Test& test) {
  if (n <= 0) return none;
  // Elements are numbered from the end of the last block, so that blocks of a walked range begin
  // where it has been cut.
  constexpr bool walked = std::same_as<decltype(all.first), block_starts<I>>;
  const auto grain = static_cast<std::ptrdiff_t>(all.policy.elements);
  const std::ptrdiff_t top = walked ? (n + grain - 1) / grain * grain : n;
  const std::ptrdiff_t found =
      first_match(top, all.policy.elements, element_cost::unknown, [&](part p) {
        const std::ptrdiff_t from = top - p.to, to = std::min(n, top - p.from);
        const std::ptrdiff_t behind = last_true(advanced(all.first, from), to - from, test);
        return behind == to - from ? p.to : top - to + behind;
      });
  if (found == top) return none;
  const std::ptrdiff_t at = top - 1 - found;
  if constexpr (walked)
    return std::ranges::next(advanced(all.first, at / grain * grain),
                             static_cast<std::iter_difference_t<I>>(at % grain));
  else
    return advanced(first, at);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
