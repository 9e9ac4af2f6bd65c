// SPDX-License-Identifier: Apache-2.0
// These are the algorithms as coroutines.
#pragma once

#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/algorithm/scan.hpp"
#include "nopal/detail/algorithm/refusal.hpp"
#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/task.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// A range that a task may be given: a variable or a view, which is kept as a view. A container
/// that is a temporary would be gone when the task runs.
template <class R>
concept outlives_its_task =
    std::ranges::viewable_range<R> &&
    (std::is_lvalue_reference_v<R> || std::ranges::view<std::remove_cvref_t<R>>);

namespace algorithm_detail {

template <class A>
struct kept {
  using type = std::decay_t<A>;
};
template <std::ranges::range R>
struct kept<R> {
  using type = std::views::all_t<R>;
};

template <class A>
inline constexpr bool may_be_kept = !std::ranges::range<A> || outlives_its_task<A>;

/// Whether a second range is read: then the argument behind it says where to write. A map may also
/// be given an array to write to.
template <class Algorithm, class R, class... A>
inline constexpr bool reads_two = false;
template <std::ranges::range R, class O, class F, class... Proj>
inline constexpr bool reads_two<map_function, R, O, F, Proj...> =
    std::random_access_iterator<std::decay_t<O>>;

/// Runs an algorithm in a task. The coroutine owns all its parameters.
template <class Algorithm, class... A>
task<std::invoke_result_t<const Algorithm&, A...>> run_as_task(A... a) {
  co_return Algorithm{}(std::move(a)...);
}
template <class Algorithm, class... A>
  requires std::is_void_v<std::invoke_result_t<const Algorithm&, A...>>
task<void> run_as_task(A... a) {
  Algorithm{}(std::move(a)...);
  co_return;
}

template <class Algorithm>
struct as_task {
  template <class First, class... A>
    requires(!algorithm_policy<std::remove_cvref_t<First>>) && may_be_kept<First> &&
            (!reads_two<Algorithm, A...>) &&
            std::invocable<const Algorithm&, typename kept<First>::type, std::decay_t<A>...>
  auto operator()(First&& first, A&&... a) const {
    return run_as_task<Algorithm, typename kept<First>::type, std::decay_t<A>...>(
        std::forward<First>(first), std::forward<A>(a)...);
  }
  template <algorithm_policy P, class First, class... A>
    requires may_be_kept<First> && (!reads_two<Algorithm, A...>) &&
             std::invocable<const Algorithm&, P, typename kept<First>::type, std::decay_t<A>...>
  auto operator()(P policy, First&& first, A&&... a) const {
    return run_as_task<Algorithm, P, typename kept<First>::type, std::decay_t<A>...>(
        policy, std::forward<First>(first), std::forward<A>(a)...);
  }

  template <class First, class Second, class... A>
    requires may_be_kept<First> && may_be_kept<Second> && reads_two<Algorithm, Second, A...> &&
             std::invocable<const Algorithm&, typename kept<First>::type,
                            typename kept<Second>::type, std::decay_t<A>...>
  auto operator()(First&& first, Second&& second, A&&... a) const {
    return run_as_task<Algorithm, typename kept<First>::type, typename kept<Second>::type,
                       std::decay_t<A>...>(std::forward<First>(first), std::forward<Second>(second),
                                           std::forward<A>(a)...);
  }
  template <algorithm_policy P, class First, class Second, class... A>
    requires may_be_kept<First> && may_be_kept<Second> && reads_two<Algorithm, Second, A...> &&
             std::invocable<const Algorithm&, P, typename kept<First>::type,
                            typename kept<Second>::type, std::decay_t<A>...>
  auto operator()(P policy, First&& first, Second&& second, A&&... a) const {
    return run_as_task<Algorithm, P, typename kept<First>::type, typename kept<Second>::type,
                       std::decay_t<A>...>(policy, std::forward<First>(first),
                                           std::forward<Second>(second), std::forward<A>(a)...);
  }
};

/// The task of an algorithm for users. It accepts every call, so that a compiler can say what is
/// wrong with one that the algorithm does not take.
template <class Algorithm>
struct checked_task : as_task<Algorithm> {
  using as_task<Algorithm>::operator();

  template <class First, class... More>
  auto operator()(First&& /*first*/, More&&... /*more*/) const {
    constexpr bool kept = may_be_kept<First> && (may_be_kept<More> && ...);
    static_assert(kept,
                  "nopal::tasks: a container that is a temporary is gone when the task runs; make "
                  "it a variable that lives until the task has ended");
    if constexpr (kept)
      say_why<reason_of_refusal<Algorithm::kind, First, More...>(), First, More...>();
    return detail::refused_expression();
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No operator()(...) const;
};

}  // namespace algorithm_detail

/// The algorithms as tasks, with the same arguments: co_await nopal::tasks::fold(v, 0.0,
/// std::plus{}), and to have the coroutine go on meanwhile co_await nopal::fork(&sum,
/// nopal::tasks::fold, v, 0.0, std::plus{}).
///
/// A range is kept as a view, so what it refers to, and what out refers to, must live until the
/// task has ended; containers that are temporaries are refused. All else is copied or moved into
/// the task. A coroutine may as well call nopal::fold itself.
/// Result, exceptions and complexity are those of the algorithm.
namespace tasks {
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_task<algorithm_detail::for_each_function>
    for_each{};
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_task<algorithm_detail::map_function> map{};
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_task<algorithm_detail::fold_function>
    fold{};
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_task<algorithm_detail::scan_function>
    scan{};
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_task<
    algorithm_detail::exclusive_scan_function>
    exclusive_scan{};
}  // namespace tasks

}  // namespace parallel
}  // namespace nopal
