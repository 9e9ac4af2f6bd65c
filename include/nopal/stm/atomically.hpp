// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/join/held_exception.hpp"
#include "nopal/detail/stm/checked_transaction.hpp"
#include "nopal/detail/stm/transaction_runner.hpp"
#include "nopal/stm/transaction.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {
namespace stm {

/// Calls f(t) as one transaction. Others see all that it writes or nothing, and it sees all that
/// another one writes or nothing. f is called again while others make that impossible, so it must
/// not do what cannot be done twice: see on_commit() and irrevocably().
/// \code
/// nopal::stm::var<int> tickets{100};
/// int left = nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   if (t.get(tickets) == 0) t.retry();
///   t.set(tickets, t.get(tickets) - 1);
///   return t.get(tickets);
/// });
/// \endcode
///
/// \param f  a function of transaction&. What it returns must not be a task.
/// \tparam Reads  the policy that says how the transaction keeps what it has read: one of
/// policies.hpp.
/// \return what f returns.
/// \throws what f throws; the transaction has no effect then. Also std::bad_alloc,
/// std::logic_error for a retry() that nothing would ever wake, and nopal::stopped if it would have
/// to wait in retry(), and a stop comes to the caller's scope.
/// A call within a transaction is another transaction, which commits by itself and does not see
/// what the outer one has written: pass `t` on instead.
/// Thread-safety: any thread may call it, whether it is a worker or not.
/// Complexity: lock-free until it has met some conflicts; from then on it may keep others from
/// committing until it has committed.
/// Source: TL2, Dice, Shalev and Shavit, DISC 2006; Gidron 2012, chapter 2.
template <class Reads = default_reads, class F>
auto atomically(F&& f) -> detail::result_of_body<F, Reads> {
  if constexpr (detail::check_body<F, Reads>())
    return detail::throwing_outside(
        [&]() -> decltype(auto) { return detail::transaction_runner<Reads>::run(f, false); });
}
/// Does the same, unless a limit ends a wait in retry(). The transaction has no effect then.
/// \code
/// nopal::stm::var<int> tickets{0};
/// const auto take = [&](nopal::stm::transaction& t) {
///   if (t.get(tickets) == 0) t.retry();
///   t.set(tickets, t.get(tickets) - 1);
///   return t.get(tickets);
/// };
/// std::error_code error;
/// const auto soon = std::chrono::milliseconds(1);
/// std::optional<int> left = nopal::stm::atomically(take, error, soon);  // nothing: timed_out
/// \endcode
/// \throws also std::system_error if a limit does, nopal::stopped if it is a stop.
template <class Reads = default_reads, class F>
auto atomically(F&& f, const limits& within) -> detail::result_of_body<F, Reads> {
  if constexpr (detail::check_body<F, Reads>()) {
    const detail::retry_limits as_retry{within.stop, within.deadline};
    return detail::throwing_outside([&]() -> decltype(auto) {
      return detail::transaction_runner<Reads>::template run<detail::at_limit::throws>(f, false,
                                                                                       &as_retry);
    });
  }
}
/// Does the same without an exception for a limit. Returns a std::optional of what f returns, if
/// that is not void; nothing if there is an error. `f` does not return a reference.
template <class Reads = default_reads, class F>
auto atomically(F&& f, std::error_code& error, const limits& within)
    -> detail::result_of_transaction<detail::result_of_body<F, Reads>,
                                     detail::at_limit::leaves_error> {
  if constexpr (detail::check_body<F, Reads>()) {
    const detail::retry_limits as_retry{within.stop, within.deadline, &error};
    return detail::throwing_outside([&]() -> decltype(auto) {
      return detail::transaction_runner<Reads>::template run<detail::at_limit::leaves_error>(
          f, false, &as_retry);
    });
  }
}
template <
    class Reads = default_reads,
    class No = detail::a_transaction_is_one_function__a_lambda_chooses_among_several_of_one_name>
No atomically(...);

/// Calls f(t) as one transaction, and calls it only once: no other transaction that writes commits
/// meanwhile. So f may have side effects, and should be short.
/// \code
/// nopal::stm::var<int> tickets{100};
/// nopal::stm::irrevocably([&](nopal::stm::transaction& t) {
///   t.set(tickets, t.get(tickets) - 1);
///   std::puts("one ticket less");
/// });
/// \endcode
/// \throws what f throws; what f has written has no effect then. Also std::logic_error, if f calls
/// retry().
template <class Reads = default_reads, class F>
auto irrevocably(F&& f) -> detail::result_of_body<F, Reads> {
  if constexpr (detail::check_body<F, Reads>())
    return detail::throwing_outside(
        [&]() -> decltype(auto) { return detail::transaction_runner<Reads>::run(f, true); });
}
template <
    class Reads = default_reads,
    class No = detail::a_transaction_is_one_function__a_lambda_chooses_among_several_of_one_name>
No irrevocably(...);

/// Does what atomically() does, for tasks, which await it. If the body calls retry(), the task is
/// suspended until something that the body has read has changed. The task keeps no stack meanwhile,
/// and its worker does something else.
/// \code
/// nopal::task<int> take(nopal::stm::var<int>& tickets) {
///   co_return co_await nopal::stm::async_atomically([&](nopal::stm::transaction& t) {
///     if (t.get(tickets) == 0) t.retry();
///     t.set(tickets, t.get(tickets) - 1);
///     return t.get(tickets);
///   });
/// }
/// \endcode
///
/// \param f  as for atomically(). A copy of it lies in the task.
/// \return a task whose result is what f returns. It may also be forked, or given to run().
/// \throws what atomically() throws, when the task is awaited or joined.
/// Only such a change ends a wait, a limit (see the overloads below), or a stop of the scope.
/// Needs nopal/task.hpp.
/// Thread-safety: any task may await it. Each attempt may run on another worker.
/// Complexity: as atomically(), and one frame of a task.
/// Source: Harris, Marlow, Peyton Jones and Herlihy, PPoPP 2005.
template <class Reads = default_reads, class F>
auto async_atomically(F&& f) -> task<detail::result_of_body<F, Reads>> {
  if constexpr (detail::check_body<F, Reads, true>())
    return detail::transaction_runner<Reads>::template run_in_task<detail::at_limit::scope_throws,
                                                                   std::decay_t<F>>(
        std::forward<F>(f));
  else
    return detail::refused_result<task<detail::result_of_body<F, Reads>>>();
}
/// Does the same, unless a limit ends a wait in retry(). A duration counts from this call on.
/// \throws also std::system_error if a limit does, nopal::stopped if it is a stop.
template <class Reads = default_reads, class F>
auto async_atomically(F&& f, const limits& within) -> task<detail::result_of_body<F, Reads>> {
  if constexpr (detail::check_body<F, Reads, true>())
    return detail::transaction_runner<Reads>::template run_in_task<detail::at_limit::throws,
                                                                   std::decay_t<F>>(
        std::forward<F>(f), {within.stop, within.deadline});
  else
    return detail::refused_result<task<detail::result_of_body<F, Reads>>>();
}
/// Does the same without an exception for a limit, as atomically() does. `error` must live until
/// the task has ended.
template <class Reads = default_reads, class F>
auto async_atomically(F&& f, std::error_code& error, const limits& within)
    -> task<detail::result_of_transaction<detail::result_of_body<F, Reads>,
                                          detail::at_limit::leaves_error>> {
  using result = task<detail::result_of_transaction<detail::result_of_body<F, Reads>,
                                                    detail::at_limit::leaves_error>>;
  if constexpr (detail::check_body<F, Reads, true>())
    return detail::transaction_runner<Reads>::template run_in_task<detail::at_limit::leaves_error,
                                                                   std::decay_t<F>>(
        std::forward<F>(f), {within.stop, within.deadline, &error});
  else
    return detail::refused_result<result>();
}
template <
    class Reads = default_reads,
    class No = detail::a_transaction_is_one_function__a_lambda_chooses_among_several_of_one_name>
No async_atomically(...);

}  // namespace stm
}  // namespace nopal
