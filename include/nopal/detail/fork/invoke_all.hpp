// SPDX-License-Identifier: Apache-2.0
// This is how parallel_invoke() runs its closures: two by a join of two, more by one join for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/fork/closures.hpp"
#include "nopal/detail/fork/events.hpp"
#include "nopal/detail/fork/invoke_erased.hpp"
#include "nopal/detail/join/held_exception.hpp"
#include "nopal/detail/join/shared_join.hpp"
#include "nopal/detail/join/two_way_join.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// Copies closures that are cheap to copy, and refers to others. Otherwise compilers build the
/// closure in memory on the path that is taken, for the sake of the path that is not.
template <class F>
using on_the_side =
    std::conditional_t<cheap_to_copy<F>, std::remove_reference_t<F>, std::remove_reference_t<F>&>;

/// Calls f while `join` is pushed. If f throws, the join is abandoned: the result of a thief is not
/// wanted then, but the thief uses the frame.
///
/// What f throws goes on as by throwing_outside(); the join holds it.
template <class F, class Join>
NOPAL_ALWAYS_INLINE decltype(auto) call_or_abandon(F& f, Join& join) {
  try {
    return f();
  } catch (...) {
    address_now(join)->abandon_and_hold();
  }
  address_now(join)->rethrow_held();
}

/// Calls f while `join` is pushed, at `position`. Returns false if a thief has done the rest.
template <class F, class Join>
NOPAL_ALWAYS_INLINE bool call_and_join(F& f, Join& join, std::int64_t position) {
  call_or_abandon(f, join);
  if (join.take_back(position)) [[likely]]
    return true;
  return address_now(join)->was_not_pushed_or_wait();
}

/// Forks g on `w`, and calls f. Returns false if a thief has run g.
template <class F, class G>
NOPAL_ALWAYS_INLINE bool fork_and_join(worker* w, std::remove_reference_t<F>& f,
                                       std::remove_reference_t<G>& g) {
  two_way_join<G> join(g, w);
  return call_and_join<F, two_way_join_base>(f, join, join.push(w));
}

/// Runs f and g, on `w`. This calls the caller's own g, and not what a thief finds. So compilers
/// need not believe that somebody changes what g has captured, and keep it in registers, while a
/// copy lies in memory. Nothing of the fork is left when g is called. So if a function's last act
/// is g, and g calls the function, compilers can make a loop of it.
template <class F, class G>
NOPAL_ALWAYS_INLINE void fork_two(worker* w, std::remove_reference_t<F>& f,
                                  std::remove_reference_t<G>& g) {
  NOPAL_EMIT_FORKING
  if (fork_and_join<F, G>(w, f, g)) [[likely]]
    g();
}

/// Does what fork_two() does, for closures that return something. If nobody steals g and g is cheap
/// to copy, the copy in the join is called: see returning_join::call().
template <class F, class G>
NOPAL_ALWAYS_INLINE results<F, G> fork_two_returning(worker* w, std::remove_reference_t<F>& f,
                                                     std::remove_reference_t<G>& g) {
  using first = std::invoke_result_t<std::remove_reference_t<F>&>;
  NOPAL_EMIT_FORKING
  returning_join<G> join(g, w);
  const std::int64_t position = join.push(w);
  const auto both = [&]() __attribute__((always_inline)) -> results<F, G> {
    first a = call_or_abandon(f, join);  // a move might throw while the join is pushed
    if (join.take_back(position) || address_now(join)->was_not_pushed_or_wait()) [[likely]]
      return results<F, G>(static_cast<first&&>(a), join.call());
    auto b = join.take_result();  // this comes before anything else can throw
    return std::tuple_cat(results<F>(static_cast<first&&>(a)), std::move(b));
  };
  if constexpr (std::is_trivially_destructible_v<results<F, G>>) {
    return both();
  } else {
    try {
      return both();
    } catch (...) {
      address_now(join)->hold_current();
    }
    address_now(join)->rethrow_held();
  }
}

// The functions whose names have "outside" are for a caller that is no worker. They have nothing of
// a fork, so that compilers see that only once for each call.

template <class F, class G>
NOPAL_NOINLINE results<F, G> invoke_two_outside_returning(on_the_side<F> f, on_the_side<G> g) {
  std::optional<results<F>> a;
  std::optional<results<G>> b;
  const auto call_f = [&] { a.emplace(f()); };
  const auto call_g = [&] { b.emplace(g()); };
  invoke_erased(erased(call_f), erased(call_g));
  return std::tuple_cat(*std::move(a), *std::move(b));
}

template <class F, class G>
NOPAL_NOINLINE void invoke_two_outside(on_the_side<F> f, on_the_side<G> g) {
  const auto call_f = [&] { f(); };
  const auto call_g = [&] { g(); };
  invoke_erased(erased(call_f), erased(call_g));
}

/// Two results. Unlike a std::tuple, they are returned in registers if they are small.
template <class A, class B>
struct two_results {
  A first;
  B second;
};

/// Whether compilers pass a T of the right size in registers.
template <class T>
inline constexpr bool passed_by_value =
    std::is_object_v<T> && std::is_trivially_copyable_v<std::remove_cv_t<T>> &&
    std::is_trivially_copy_constructible_v<T>;

/// Whether F and G are temporaries that are passed in registers, and so is what they return
/// together.
template <class F, class G>
constexpr bool forks_in_registers() noexcept {
  constexpr std::size_t in_registers = 2 * sizeof(void*);
  if constexpr (passed_by_value<F> && passed_by_value<G>) {
    using first = std::invoke_result_t<F&>;
    using second = std::invoke_result_t<G&>;
    if constexpr (passed_by_value<first> && passed_by_value<second>)
      return sizeof(F) <= in_registers && sizeof(G) <= in_registers &&
             sizeof(two_results<first, second>) <= in_registers;
  }
  return false;
}

/// Forks two closures for which forks_in_registers() is true. Since this is not inlined, a leaf of
/// a recursion neither saves registers nor moves the stack pointer for the sake of a fork.
template <class F, class G>
NOPAL_NOINLINE auto invoke_two_in_registers(F f, G g)
    -> two_results<std::invoke_result_t<F&>, std::invoke_result_t<G&>> {
  worker* w = this_worker();
  const auto both =
      w == nullptr ? invoke_two_outside_returning<F, G>(f, g) : fork_two_returning<F, G>(w, f, g);
  return {std::get<0>(both), std::get<1>(both)};
}

/// Runs f, g and more on the owner's stack, until a thief has the rest. Compilers see each closure
/// as the caller has it, as in fork_two().
template <std::size_t I, class Closures, class F, class G, class... More>
NOPAL_ALWAYS_INLINE void invoke_from(join_of_closures<Closures>& join, std::int64_t position, F& f,
                                     G& g, More&... more) {
  if (!call_and_join<F, shared_join>(f, join, position)) [[unlikely]]
    return;
  if constexpr (sizeof...(More) == 0) {
    g();
  } else {
    join.template leave<I + 1>();
    invoke_from<I + 1>(join, join.push_again(position), g, more...);
  }
}

/// Runs three closures or more, on `w`. `all` is what a thief finds of all closures except the
/// first.
template <class Closures, class F, class... More>
NOPAL_ALWAYS_INLINE void fork_many(worker* w, Closures& all, F& f, More&... more) {
  NOPAL_EMIT_FORKING
  join_of_closures<Closures> join(all, w);
  invoke_from<0>(join, join.push(w), f, more...);
}

template <class F, class Closures>
NOPAL_NOINLINE void invoke_many_outside(on_the_side<F> f, Closures& all) {
  auto call = [&] {
    std::apply([&](auto&... more) { fork_many(this_worker(), all, f, more...); }, all);
  };
  run_on_default_runtime([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

template <class F>
NOPAL_ALWAYS_INLINE void invoke_all(std::remove_reference_t<F>& f) {
  f();
}

template <class F, class G>
NOPAL_ALWAYS_INLINE void invoke_all(std::remove_reference_t<F>& f, std::remove_reference_t<G>& g) {
  worker* w = this_worker();
  if (w == nullptr) [[unlikely]]
    return invoke_two_outside<F, G>(f, g);
  fork_two<F, G>(w, f, g);
}

template <class F, class G, class H, class... More>
NOPAL_ALWAYS_INLINE void invoke_all(std::remove_reference_t<F>& f, std::remove_reference_t<G>& g,
                                    std::remove_reference_t<H>& h,
                                    std::remove_reference_t<More>&... more) {
  std::tuple<stealable_closure<G>, stealable_closure<H>, stealable_closure<More>...> all(g, h,
                                                                                         more...);
  worker* w = this_worker();
  if (w == nullptr) [[unlikely]]
    return invoke_many_outside<F>(f, all);
  fork_many(w, all, f, g, h, more...);
}

template <class F>
NOPAL_ALWAYS_INLINE results<F> invoke_all_returning(std::remove_reference_t<F>& f) {
  return results<F>(f());
}

template <class F, class G>
NOPAL_ALWAYS_INLINE results<F, G> invoke_all_returning(std::remove_reference_t<F>& f,
                                                       std::remove_reference_t<G>& g) {
  if constexpr (forks_in_registers<F, G>()) {
    const auto both = invoke_two_in_registers<F, G>(f, g);
    return results<F, G>(both.first, both.second);
  } else {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]]
      return invoke_two_outside_returning<F, G>(f, g);
    return fork_two_returning<F, G>(w, f, g);
  }
}

/// Runs three closures or more, by means of closures that return nothing.
template <class... F>
  requires(sizeof...(F) > 2)
NOPAL_ALWAYS_INLINE results<F...> invoke_all_returning(std::remove_reference_t<F>&... f) {
  return throwing_outside([&] {
    std::tuple<std::optional<results<F>>...> each;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto keeping = [](auto& result, auto& closure) {
        return [&] { result.emplace(closure()); };
      };
      const auto invoke = [](auto... closures) { invoke_all<decltype(closures)...>(closures...); };
      invoke(keeping(std::get<I>(each), f)...);
      return results<F...>(std::get<0>(*std::move(std::get<I>(each)))...);
    }(std::index_sequence_for<F...>{});
  });
}

}  // namespace nopal::detail
