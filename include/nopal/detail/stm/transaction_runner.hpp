// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/stm/transaction_core.hpp"

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task.hpp"
#else
#include "nopal/detail/stm/change_awaiter.hpp"
#endif

namespace nopal {
namespace stm {

template <class Reads>
class basic_transaction;

}  // namespace stm

namespace detail {

/// Calls the body of a transaction until the transaction commits.
template <class Reads>
struct transaction_runner {
  using transaction = stm::basic_transaction<Reads>;

  /// Runs a transaction on the caller's strand or thread, for the functions of atomically.hpp.
  /// Returns what the body has returned in the attempt that has committed.
  template <class F>
  static auto run(F& f, bool irrevocable) -> std::invoke_result_t<F&, transaction&> {
    using result = std::invoke_result_t<F&, transaction&>;
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
      t.wait_to_begin_again();
    }
  }

  /// Returns a task that does the same, and that is suspended, with no stack, while it is in retry.
  template <class F>
  static auto run_in_task(F f) -> task<std::invoke_result_t<F&, transaction&>> {
    using result = std::invoke_result_t<F&, transaction&>;
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
      t.wait_to_begin_again();
#else
      if (t.prepare_to_begin_again()) co_await change_to_what_was_read{&t};
#endif
    }
  }

 private:
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
