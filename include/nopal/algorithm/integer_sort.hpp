// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/keyed.hpp"
#include "nopal/detail/algorithm/keys/permute.hpp"
#include "nopal/detail/algorithm/keys/radix_key.hpp"
#include "nopal/detail/algorithm/keys/radix_sort.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct integer_sort_function {
  static constexpr auto kind = algorithm_kind::moved;
  static constexpr auto what_is_left = refusal::integer_key;
  using function = std::identity;

  template <class I, splittable_by<I> S, integer_key<I> Key = std::identity>
    requires std::permutable<I> && elements_apart<I>
  I operator()(grain /*by hand*/, I first, S last, Key key = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    if (n > 1) run(unwrapped(first), n, projection_to_end<I>(key));
    return advanced(first, n);
  }

 private:
  template <class I, class Key>
  static void run(I first, std::ptrdiff_t n, const Key& key) {
    using digits = radix_type_of<I, Key>;
    const radix_projection<Key> digits_of{key};
    if constexpr (std::is_pointer_v<I> && moved_by_digits<std::iter_value_t<I>>) {
      radix_sorter<std::iter_value_t<I>, radix_projection<Key>>(digits_of).run(first, n);
    } else if (n <= most_inserted) {
      std::array<keyed<digits>, most_inserted> order;
      for (std::ptrdiff_t i = 0; i < n; ++i)
        order[static_cast<std::size_t>(i)] = {digits_of(*advanced(first, i)),
                                              static_cast<std::size_t>(i)};
      insertion_sort(order.data(), order.data(), n, key_of_keyed<digits>());
      permute_in_place(first, order.data(), n);
    } else {
      const raw_buffer<keyed<digits>> order(n);
      note_keys(order.data(), n, [&](std::ptrdiff_t i) { return digits_of(*advanced(first, i)); });
      sort_keyed(order.data(), n);
      permute(first, order.data(), n);
    }
  }
};

}  // namespace algorithm_detail

/// Sorts the elements of a range by an integer of each, without comparing them:
/// integer_sort(range, key = {}) or integer_sort(first, last, key = {}). Elements with equal keys
/// keep their order. If keys are integers, this is faster than a sort that compares.
///
/// Digits that are equal in all keys cost nothing, so small numbers in a large type are sorted as
/// fast as in a small one.
/// \code
/// struct edge { unsigned from, to; };
/// std::vector<edge> edges{{2, 0}, {0, 1}, {2, 1}};
/// nopal::integer_sort(edges, &edge::from);
/// std::vector<long> v{3, -1, 2};
/// nopal::integer_sort(v);
/// \endcode
///
/// \param range  random access and of known size; its elements can be moved. The same goes for
/// first and last.
/// \param key  returns an integer of 8 to 64 bits, with a sign or without; called by several
/// workers at once, as const, several times for an element that is trivially copyable and short,
/// and each time with the same result. Tasks are as with for_each.
/// \returns the end of the range.
/// \throws whatever key throws, and std::bad_alloc; the range is then as it was, if key throws
/// whenever it is called for an element or never. nopal::stopped; then the range has all its
/// elements, in any order. Whatever a move of an element throws; then elements may be lost.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) for each digit of eight bits in which keys differ, span O(log n) times the time
/// of a block, which has some ten thousand elements. Memory for n elements; if they are not
/// trivially copyable, longer than 32 bytes or not in a row, for 2n keys and numbers as well, and
/// each element is then moved twice only.
/// Source: a pass from the highest digit, as in PARADIS (Cho, Brand, Bordawekar, Finkler,
/// Kulandaisamy and Puri, VLDB 2015) but stable and with a buffer, then passes from the lowest
/// within a cache (LaMarca and Ladner 1999); docs/algorithm.md.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::integer_sort_function>
    integer_sort{};

}  // namespace parallel
}  // namespace nopal
