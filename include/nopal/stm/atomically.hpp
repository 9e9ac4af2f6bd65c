// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/stm/transaction.hpp"

namespace nopal {
namespace detail {

/// Calls a body until it commits.
template <class Reads>
struct transaction_runner {
  using transaction = stm::basic_transaction<Reads>;

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
      t.wait_to_begin_again();  // outside of the handlers: the strand may be suspended
    }
  }
};

}  // namespace detail

namespace stm {

/// f(t) as one transaction: others see all that it writes or nothing, and it sees all of others or
/// nothing. It is called again while others make that impossible, so it must not do what cannot be
/// done twice: see on_commit() and irrevocably().
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
/// \tparam Reads  how the transaction keeps what it has read: a policy of policies.hpp.
/// \return what f returns.
/// \throws what f throws; the transaction has no effect then. Also std::bad_alloc, and
/// std::logic_error for a retry() that nothing would ever wake.
/// Called within a transaction it is another one, which commits by itself and does not see what the
/// outer one has written: pass `t` on instead.
/// Thread-safety: any thread may call it, whether it is a worker or not.
/// Complexity: lock-free until it has met some conflicts; from then on it may keep others from
/// committing until it has.
/// Source: TL2, Dice, Shalev and Shavit, DISC 2006; Gidron 2012, chapter 2.
template <class Reads = default_reads, class F>
auto atomically(F&& f) -> std::invoke_result_t<F&, basic_transaction<Reads>&> {
  static_assert(transaction_body<F, Reads>,
                "nopal: the body of a transaction returns a task, which would run when the "
                "transaction is over; a body is a plain function of stm::transaction&");
  return detail::transaction_runner<Reads>::run(f, false);
}

/// The same for what must happen once: f is called once, and no other transaction that writes
/// commits meanwhile. So f may have side effects, and should be short.
/// \code
/// nopal::stm::var<int> tickets{100};
/// nopal::stm::irrevocably([&](nopal::stm::transaction& t) {
///   t.set(tickets, t.get(tickets) - 1);
///   std::puts("one ticket less");
/// });
/// \endcode
/// \throws what f throws; what it has written has no effect then. std::logic_error from retry().
template <class Reads = default_reads, class F>
auto irrevocably(F&& f) -> std::invoke_result_t<F&, basic_transaction<Reads>&> {
  static_assert(transaction_body<F, Reads>,
                "nopal: the body of a transaction returns a task, which would run when the "
                "transaction is over; a body is a plain function of stm::transaction&");
  return detail::transaction_runner<Reads>::run(f, true);
}

}  // namespace stm
}  // namespace nopal
