// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_in_place.hpp"
#include "nopal/detail/algorithm/merge/merge_sort.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/sort/sort_in_place.hpp"
#include "nopal/detail/algorithm/sort/sorted_run.hpp"
#include "nopal/detail/algorithm/workers_here.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct stable_sort_function {
  static constexpr auto kind = algorithm_kind::comparison;
  using function = std::ranges::less;

  template <std::random_access_iterator I, splittable_by<I> S, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires sortable_by<I, Comp, Proj>
  I operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const auto at = unwrapped(first);
    if constexpr (sorts_integers<decltype(at), Comp, Proj>)
      sort_in_place(at, n, g.elements, comp, proj);
    else
      sort(at, n, g, ordering<Comp, Proj>(comp, proj));
    return advanced(first, n);
  }

 private:
  template <class I, class Less>
  static void sort(I first, std::ptrdiff_t n, grain g, const Less& less) {
    if (is_one_run(first, n, less)) return;
    const std::ptrdiff_t block = chosen_grain(g.elements, n, limits_of_merge);
    const element_memory<std::iter_value_t<I>> memory(n);
    const auto run = [&] {
      if (memory)
        merge_sort<I, Less>(first, memory.begin(), less, block).run(n);
      else
        merge_sort_by_rotations(first, {0, n}, block, less);
    };
    if (n > block)
      on_a_worker(run);
    else
      run();
  }
};

}  // namespace algorithm_detail

/// Sorts a range and keeps equal elements in order: stable_sort(range, comp = less, proj = {}) or
/// stable_sort(first, last, comp = less, proj = {}).
///
/// A range that is in order already, or in which each element comes before the one in front of it,
/// is only looked at, and then reversed if need be. Integers in a row in memory that are compared
/// by std::less or std::greater or those of std::ranges, without a projection, are sorted as by
/// nopal::sort: equal ones cannot be told apart.
/// \code
/// std::vector<std::string> words{"bb", "aa", "c"};
/// nopal::stable_sort(words, {}, &std::string::size);  // c bb aa
/// \endcode
///
/// \param range  random access, and a size known in constant time; its elements can be moved, which
/// must not throw.
/// \param comp  a strict weak order, as for std::stable_sort.
/// \param comp, proj  called by several workers at once, as const. Neither may be a coroutine.
/// \returns the end of the range.
/// \throws whatever comp or proj throws; then all elements are in the range, in some order. If a
/// move throws, the program ends.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n log n) comparisons and moves, the same for any number of workers; span
/// O(log³ n). Extra memory: n elements. If that cannot be had, the range is sorted in place with
/// O(n log² n) moves and span O(n), and nothing is thrown.
/// Source: merge sort whose merges are cut by rank (co-ranking: Siebert and Träff, 2013) and go on
/// at both ends.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::stable_sort_function>
    stable_sort{};

}  // namespace parallel
}  // namespace nopal
