// SPDX-License-Identifier: Apache-2.0
// These say what the algorithms ask of ranges, iterators and functions.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// A range that can be halved in constant time: random access, and a size known without walking.
/// Others are walked.
template <class R>
concept splittable_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// A sentinel that makes a splittable range with an iterator.
template <class S, class I>
concept splittable_by = std::random_access_iterator<I> && std::sized_sentinel_for<S, I>;

/// An iterator whose elements can be read more than once. Workers cannot share a range that
/// loses an element when it is read, such as std::views::istream: put its elements into a container
/// first.
template <class I>
concept readable_more_than_once = std::forward_iterator<I>;

/// The sentinel of a range that has an end. std::views::iota(0) has none.
template <class S>
concept has_an_end = !std::same_as<S, std::unreachable_sentinel_t>;

/// A range of which several workers may read a part each.
template <class R>
concept multipass_range =
    std::ranges::range<R> && readable_more_than_once<std::ranges::iterator_t<R>> &&
    has_an_end<std::ranges::sentinel_t<R>>;

/// A sentinel that makes such a range with an iterator.
template <class S, class I>
concept multipass_by = readable_more_than_once<I> && std::sentinel_for<S, I> && has_an_end<S>;

/// One of two ranges side by side. One of them may have no end.
template <class R>
concept multipass_beside =
    std::ranges::range<R> && readable_more_than_once<std::ranges::iterator_t<R>>;

/// A sentinel that makes such a range with an iterator.
template <class S, class I>
concept multipass_beside_by = readable_more_than_once<I> && std::sentinel_for<S, I>;

template <class S1, class S2>
concept one_has_an_end = has_an_end<S1> || has_an_end<S2>;

/// Whether strands may write to neighbours at the same time. In a std::vector<bool> several
/// elements share a word.
template <class I>
concept elements_apart =
    !std::same_as<std::remove_cvref_t<std::iter_reference_t<I>>, std::vector<bool>::reference>;

/// Several workers call the same function at once, so it is const to them: a mutable lambda would
/// be a data race. std::ref(f) hands over one that takes care of that itself.
template <class F, class... A>
concept shared_callable = std::invocable<const F&, A...>;

/// A function that maps one X, or one of each, to what can be assigned through O.
template <class F, class O, class... X>
concept maps = std::random_access_iterator<O> && elements_apart<O> && shared_callable<F, X...> &&
               std::indirectly_writable<O, detail::result_to_end<const F&, X...>>;

namespace algorithm_detail {

template <class I, class Proj>
using projected_reference = detail::result_to_end<const Proj&, std::iter_reference_t<I>>;

/// The type of a projected element; none if the projection cannot be called.
template <class I, class Proj>
struct element_value {};
template <class I, class Proj>
  requires shared_callable<Proj, std::iter_reference_t<I>>
struct element_value<I, Proj> {
  using type = std::remove_cvref_t<projected_reference<I, Proj>>;
};
template <class I>
struct element_value<I, std::identity> {
  using type = std::iter_value_t<I>;  // a proxy's reference is no value
};

template <class T, class I, class Op, class Proj>
using folded_type = std::decay_t<detail::result_to_end<const Op&, T, projected_reference<I, Proj>>>;

}  // namespace algorithm_detail

template <class Proj, class I>
concept projects = shared_callable<Proj, std::iter_reference_t<I>>;

/// An operation that makes one partial result of two.
template <class Op, class U>
concept combines =
    shared_callable<Op, U, U> && std::convertible_to<detail::result_to_end<const Op&, U, U>, U>;

/// An operation that folds elements into a T, from both sides: what it returns is folded further
/// with elements, and with other results. It must be associative, which no compiler can tell; it
/// need not be commutative.
template <class Op, class T, class I, class Proj>
concept folds =
    projects<Proj, I> && shared_callable<Op, T, algorithm_detail::projected_reference<I, Proj>> &&
    requires { typename algorithm_detail::folded_type<T, I, Op, Proj>; } &&
    std::movable<algorithm_detail::folded_type<T, I, Op, Proj>> &&
    std::constructible_from<algorithm_detail::folded_type<T, I, Op, Proj>,
                            algorithm_detail::projected_reference<I, Proj>> &&
    std::convertible_to<T, algorithm_detail::folded_type<T, I, Op, Proj>> &&
    combines<Op, algorithm_detail::folded_type<T, I, Op, Proj>>;

namespace algorithm_detail {

/// Returns a pointer if the elements lie one after the other: compilers make the most of pointers,
/// and there is less to compile.
template <class I>
constexpr auto unwrapped(I i) {
  if constexpr (std::contiguous_iterator<I>)
    return std::to_address(i);
  else
    return i;
}

/// Returns i + n. Differences of some iterators, such as those of std::views::iota, are no
/// std::ptrdiff_t.
template <class I>
constexpr I advanced(I i, std::ptrdiff_t n) {
  if constexpr (std::random_access_iterator<I>)
    return i + static_cast<std::iter_difference_t<I>>(n);
  else
    return std::ranges::next(i, static_cast<std::iter_difference_t<I>>(n));
}

/// Whether getting to the next element reads none.
template <class I>
inline constexpr bool moves_freely = std::random_access_iterator<I>;

/// Goes to the next element, of which so many are left, but not beyond the last one of a block. A
/// filter would read what follows the block, which another strand may be writing.
template <class I>
constexpr void step_on(I& i, std::ptrdiff_t left) {
  if constexpr (!moves_freely<I>) {
    if (left == 0) return;
  }
  ++i;
}

/// Returns f itself; or if f returns a task when it is called with such arguments, a function that
/// runs the task to its end as well. A function that is no coroutine meets the same code as if
/// there were no coroutines.
template <class... A, class F>
constexpr decltype(auto) to_end(const F& f) {
  if constexpr (detail::returns_a_task<const F&, A...>)
    return detail::run_to_end<const F&>{f};
  else
    return (f);
}

/// These do the same for a function of projected elements of I, for a projection of elements of I,
/// and for an operation on a T and a projected element.
template <class I, class Proj, class F>
constexpr decltype(auto) each_to_end(const F& f) {
  return to_end<projected_reference<I, Proj>>(f);
}
template <class I, class Proj>
constexpr decltype(auto) projection_to_end(const Proj& proj) {
  return to_end<std::iter_reference_t<I>>(proj);
}
template <class T, class I, class Proj, class Op>
constexpr decltype(auto) operation_to_end(const Op& op) {
  return to_end<T, projected_reference<I, Proj>>(op);
}

/// A value whose copies cost what their bytes cost, and need not be destroyed. A std::pair of such
/// values is one, although its assignment is no trivial one.
template <class T>
inline constexpr bool plain_value =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_move_constructible_v<T> &&
    std::is_trivially_destructible_v<T> && std::is_nothrow_copy_assignable_v<T> &&
    std::is_nothrow_move_assignable_v<T>;

/// A value that is as cheap to fold as to move.
template <class U>
inline constexpr bool small_value = plain_value<U> && sizeof(U) <= 2 * sizeof(void*);

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
