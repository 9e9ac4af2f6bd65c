// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/partition_parts.hpp"
#include "nopal/detail/algorithm/ordered/write_kept.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct partition_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, permuted_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires selects<Pred, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::ranges::subrange<I> operator()(grain g, I first, S last, Pred pred,
                                                     Proj proj = {}) const {
    const auto& test = each_to_end<I, Proj>(pred);
    const auto& element = projection_to_end<I>(proj);
    using kept =
        kept_if<true, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    std::ptrdiff_t count = 0;
    if (n > 0) {
      const swaps work(unwrapped(first), kept{test, element});
      count = ordered_output(work, g.elements, sizeof(std::iter_value_t<I>)).run(n);
    }
    return {advanced(first, count), advanced(first, n)};
  }
};

struct stable_partition_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, permuted_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires selects<Pred, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::ranges::subrange<I> operator()(grain g, I first, S last, Pred pred,
                                                     Proj proj = {}) const {
    const auto& test = each_to_end<I, Proj>(pred);
    const auto& element = projection_to_end<I>(proj);
    using kept =
        kept_if<true, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const std::ptrdiff_t count =
        n > 0 ? run(unwrapped(first), n, g.elements, kept{test, element}) : 0;
    return {advanced(first, count), advanced(first, n)};
  }

 private:
  /// Moves the rest out of the way while what is kept moves to the beginning, and then behind it.
  template <class I, class Test>
  static std::ptrdiff_t run(I first, std::ptrdiff_t n, std::size_t grain, const Test& test) {
    using T = std::iter_value_t<I>;
    const auto write = [&](const auto& work) {
      return ordered_output(work, grain, sizeof(T)).run(n);
    };
    if constexpr (std::is_pointer_v<I> && plain_values<I>) {
      const raw_buffer<T> rest(n);
      const std::ptrdiff_t count =
          write(values<I, Test, roomy<T>, roomy<T>>(first, test, {first}, {rest.data()}));
      move_back(rest.data(), advanced(first, count), n - count);
      return count;
    } else {
      std::vector<T> rest;
      rest.reserve(static_cast<std::size_t>(n));
      const std::ptrdiff_t count = write(moves<I, Test, std::vector<T>*>(first, test, &rest));
      move_back(rest.data(), advanced(first, count), n - count);
      return count;
    }
  }
  template <class T, class I>
  static void move_back(T* from, I to, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t few = 2048;  // not worth the start of a loop that may be stolen
    if (n <= few)
      std::move(from, from + n, to);
    else
      for_each_block({0, n}, 0, [from, to](part p) {
        std::move(from + p.from, from + p.to, advanced(to, p.from));
      });
  }
};

struct partition_copy_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 2;

  template <class I, multipass_by<I> S, class O1, class O2, class Pred,
            projects<I> Proj = std::identity>
    requires copies_of<O1, I> && copies_of<O2, I> && selects<Pred, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::pair<O1, O2> operator()(grain g, I first, S last, O1 out, O2 rest, Pred pred,
                                              Proj proj = {}) const {
    const auto& test = each_to_end<I, Proj>(pred);
    const auto& element = projection_to_end<I>(proj);
    using kept =
        kept_if<true, std::remove_cvref_t<decltype(test)>, std::remove_cvref_t<decltype(element)>>;
    const auto all = cut(g, first, last);
    const std::ptrdiff_t count =
        copy_kept<I>(all, kept{test, element}, unwrapped(out), unwrapped(rest));
    return {advanced(out, count), advanced(rest, all.size > 0 ? all.size - count : 0)};
  }
};

}  // namespace algorithm_detail

/// Puts the elements of a range for which pred(proj(element)) holds before the others, in any
/// order: partition(range, pred, proj = {}) or partition(first, last, pred, proj = {}).
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// const auto others = nopal::partition(v, [](int x) { return x > 2; });
/// \endcode
///
/// \param range  as with remove_if.
/// \param pred, proj  called by several workers at once, as const; pred exactly once for each
/// element. Tasks are as with for_each.
/// \returns the elements for which pred does not hold, as std::ranges::partition does.
/// \throws whatever pred, proj or a swap throws; if several calls throw, the exception of the first
/// in order among those that ran. If it was not a swap, the range then has the elements that it
/// had, in another order.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls and at most n swaps on one worker; for each stolen part as many again as
/// half of what lies on its wrong side. Span as with copy_if. No memory. Small plain elements are
/// swapped without a branch on what pred says.
/// Source: Lomuto's partition (Bentley, Programming Pearls, column 11); std::ranges::partition.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::partition_function>
    partition{};

/// Puts the elements of a range for which pred(proj(element)) holds before the others, both in
/// their order: stable_partition(range, pred, proj = {}) or stable_partition(first, last, pred,
/// proj =
/// {}).
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// const auto others = nopal::stable_partition(v, [](int x) { return x > 2; });
/// \endcode
///
/// \param range, pred, proj  as with partition.
/// \returns the elements for which pred does not hold, as std::ranges::stable_partition does.
/// \throws whatever pred, proj or a move throws; what is left then is as with remove_if.
/// std::bad_alloc if there is no memory for n elements, and then nothing has changed; or if there
/// is none for what a thief keeps, as with remove_if.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls, and a move of each element, two if pred does not hold. Memory for n
/// elements; the rest is as with remove_if.
/// Source: as copy_if; std::ranges::stable_partition.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::stable_partition_function>
    stable_partition{};

/// Copies the elements of a range for which pred(proj(element)) holds to one place and the others
/// to another, both in their order: partition_copy(range, out, rest, pred, proj = {}) or
/// partition_copy(first, last, out, rest, pred, proj = {}).
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5}, large(v.size()), small(v.size());
/// const auto [a, b] = nopal::partition_copy(v, large.begin(), small.begin(),
///                                           [](int x) { return x > 2; });
/// large.erase(a, large.end());
/// small.erase(b, small.end());
/// \endcode
///
/// \param range, pred, proj  as with copy_if.
/// \param out, rest  as out of copy_if. They must overlap neither the range nor each other.
/// \returns the ends of what was written to out and to rest.
/// \throws what copy_if does.
/// Thread-safety: as copy_if.
/// Complexity: n calls and n assignments; the rest is as with copy_if.
/// Source: as copy_if; std::ranges::partition_copy.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::partition_copy_function>
    partition_copy{};

}  // namespace parallel
}  // namespace nopal
