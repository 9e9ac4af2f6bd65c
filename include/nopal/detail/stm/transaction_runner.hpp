// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/stm/transaction_core.hpp"
#include "nopal/detail/wait/no_value.hpp"

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task.hpp"
#else
#include "nopal/detail/stm/retry_operation.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#endif

namespace nopal {
namespace stm {

template <class Reads>
class basic_transaction;

}  // namespace stm

namespace detail {

/// How a transaction ends when a limit ends its wait in retry.
enum class at_limit : unsigned char {
  scope_throws,  ///< It has no limits, and only the stop of a scope ends it.
  throws,
  leaves_error,  ///< It leaves the error, and returns nothing.
};

/// What a transaction returns whose body returns an R.
template <class R, at_limit limit>
using result_of_transaction =
    std::conditional_t<limit == at_limit::leaves_error && !std::is_void_v<R>,
                       std::optional<std::conditional_t<std::is_void_v<R>, int, R>>, R>;

/// Calls the body of a transaction until the transaction commits.
template <class Reads>
struct transaction_runner {
  using transaction = stm::basic_transaction<Reads>;

  /// Runs a transaction on the caller's strand or thread, for the functions of atomically.hpp.
  /// Returns what the body has returned in the attempt that has committed.
  template <at_limit limit = at_limit::scope_throws, class F>
  static auto run(F& f, bool irrevocable, const retry_limits* within = nullptr)
      -> result_of_transaction<std::invoke_result_t<F&, transaction&>, limit> {
    using result = std::invoke_result_t<F&, transaction&>;
    using returned = result_of_transaction<result, limit>;
    if constexpr (limit != at_limit::scope_throws)
      if (!transaction_core::may_begin(*within)) return no_value<returned>();
    transaction t(irrevocable);
    for (;;) {
      try {
        t.begin();
        if constexpr (std::is_void_v<result>) {
          f(t);
          if (t.commit()) return;
        } else if constexpr (std::is_reference_v<result>) {
          result r = f(t);
          if (t.commit()) return static_cast<result>(r);
        } else {
          result r = f(t);
          if (t.commit()) return r;
        }
      } catch (const transaction_unwinding&) {
      } catch (...) {
        if (t.body_has_thrown()) throw;
      }
      // This is outside of the handlers, because the strand may be suspended.
      if (!t.wait_to_begin_again(within)) return no_value<returned>();
    }
  }

  /// Returns a task that does the same, and that is suspended, with no stack, while it is in retry.
  template <at_limit limit = at_limit::scope_throws, class F>
  static auto run_in_task(F f, retry_limits within = {})
      -> task<result_of_transaction<std::invoke_result_t<F&, transaction&>, limit>> {
    using result = std::invoke_result_t<F&, transaction&>;
    using returned = result_of_transaction<result, limit>;
    if constexpr (limit != at_limit::scope_throws)
      if (!transaction_core::may_begin(within)) co_return no_value<returned>();
    transaction t(false);
    for (;;) {
      if constexpr (std::is_void_v<result>) {
        if (attempt(t, f)) co_return;
      } else if constexpr (std::is_reference_v<result>) {
        std::remove_reference_t<result>* r = nullptr;
        if (attempt(t, [&](transaction& u) { r = std::addressof(f(u)); }))
          co_return static_cast<result>(*r);
      } else {
        std::optional<result> r;
        if (attempt(t, [&](transaction& u) { r.emplace(f(u)); })) co_return *std::move(r);
      }
#ifdef NOPAL_SERIAL
      const retry_limits* limits = limit != at_limit::scope_throws ? &within : nullptr;
      if (!t.wait_to_begin_again(limits)) co_return no_value<returned>();
#else
      if (!t.prepare_to_begin_again()) continue;
      if constexpr (limit == at_limit::scope_throws) {
        co_await change(t);
      } else {
        co_await change_within(within, t);
        if (within.error != nullptr && *within.error) co_return no_value<returned>();
      }
#endif
    }
  }

 private:
#ifndef NOPAL_SERIAL
  // These return the wait of a task.
  static wait_call<retry_operation> change(transaction_core& t) {
    return wait_call<retry_operation>({}, t);
  }
  // g++ 12 destroys an aggregate twice that is made in the expression of a co_await, so this is no
  // part of the coroutine.
  static wait_call<retry_operation, call_limits> change_within(const retry_limits& within,
                                                               transaction_core& t) {
    return wait_call<retry_operation, call_limits>(
        {limits(within.stop, within.deadline), within.error}, t);
  }
#endif

  /// Makes one attempt. Returns whether the transaction has committed.
  template <class F>
  static bool attempt(transaction& t, F&& f) {
    try {
      t.begin();
      f(t);
      return t.commit();
    } catch (const transaction_unwinding&) {
    } catch (...) {
      if (t.body_has_thrown()) throw;
    }
    return false;
  }
};

}  // namespace detail
}  // namespace nopal
