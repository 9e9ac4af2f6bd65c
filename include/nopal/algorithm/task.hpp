// SPDX-License-Identifier: Apache-2.0
// These are the algorithms as coroutines.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/algorithm/scan.hpp"
#include "nopal/detail/algorithm/call.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/refusal.hpp"
#include "nopal/detail/algorithm/say_why.hpp"
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

/// How many of the arguments of a call are ranges, and how many come before them.
struct leading_ranges {
  std::size_t from = 0;
  std::size_t number = 0;

  [[nodiscard]] constexpr bool has(std::size_t argument) const { return argument - from < number; }
};

template <class Algorithm, class First, class... More>
constexpr leading_ranges ranges_of() {
  if constexpr (is_policy<First> && sizeof...(More) > 0) {
    return {1, ranges_of<Algorithm, More...>().number};
  } else {
    constexpr call_form form = form_of<Algorithm, grain, First, More...>();
    return {0, form == call_form::range ? 1U : form == call_form::two_ranges ? 2U : 0U};
  }
}

/// Returns f.operator()<A...>() without options at the end of A.
template <class... Seen, class F, class First, class... More>
constexpr auto without_options(const F& f, types<First, More...>) {
  if constexpr (sizeof...(More) > 0)
    return without_options<Seen..., First>(f, types<More...>());
  else if constexpr (has_no_options<First> || sizeof...(Seen) == 0)
    return f.template operator()<Seen..., First>();
  else
    return f.template operator()<Seen...>();
}

template <bool IsRange, class A>
struct kept {
  using type = std::decay_t<A>;
};
template <class R>
  requires outlives_its_task<R>
struct kept<true, R> {
  using type = std::views::all_t<R>;
};

/// Runs an algorithm in a task. The coroutine owns all its parameters.
template <class Algorithm, class... A>
auto run_as_task(A... a) -> task<decltype(checked_call<Algorithm>()(std::declval<A>()...))> {
  co_return checked_call<Algorithm>()(std::move(a)...);
}
template <class Algorithm, class... A>
  requires std::is_void_v<decltype(checked_call<Algorithm>()(std::declval<A>()...))>
task<void> run_as_task(A... a) {
  checked_call<Algorithm>()(std::move(a)...);
  co_return;
}

/// The task of an algorithm for users. It accepts every call, so that a compiler can say what is
/// wrong with one that the algorithm does not take.
template <class Algorithm>
struct checked_task {
  template <class First, class... More>
  auto operator()(First&& first, More&&... more) const {
    constexpr types<First, More...> arguments;
    constexpr leading_ranges ranges =
        without_options([]<class... A>() { return ranges_of<Algorithm, A...>(); }, arguments);
    if constexpr (!without_options([]<class... A>() { return accepts<Algorithm, A...>; },
                                   arguments)) {
      say_why<reason_of_refusal<Algorithm, First, More...>(), First, More...>();
      return detail::refused_expression();
    } else if constexpr (can_be_kept<ranges, First, More...>(std::index_sequence_for<More...>()))
      return keep<ranges>(std::index_sequence_for<More...>(), std::forward<First>(first),
                          std::forward<More>(more)...);
    else
      return detail::refused_expression();
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No operator()(...) const;

 private:
  /// Whether a task can own the arguments of a call, and the algorithm takes it. If not, the
  /// compiler says why.
  template <leading_ranges Ranges, class First, class... More, std::size_t... At>
  static constexpr bool can_be_kept(std::index_sequence<At...>) {
    constexpr bool kept = (!Ranges.has(0) || outlives_its_task<First>) &&
                          ((!Ranges.has(At + 1) || outlives_its_task<More>) && ...);
    static_assert(kept,
                  "nopal::tasks: a container that is a temporary is gone when the task runs; make "
                  "it a variable that lives until the task has ended");
    return kept;
  }
  template <leading_ranges Ranges, std::size_t... At, class First, class... More>
  static auto keep(std::index_sequence<At...>, First&& first, More&&... more) {
    return run_as_task<Algorithm, typename kept<Ranges.has(0), First>::type,
                       typename kept<Ranges.has(At + 1), More>::type...>(
        std::forward<First>(first), std::forward<More>(more)...);
  }
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
