// SPDX-License-Identifier: Apache-2.0
// nopal::claim: workers of a runtime that are set apart for some work. See docs/async.md.
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/claim.hpp"
#else

#include <memory>
#include <utility>

#include "nopal/async/claim_options.hpp"
#include "nopal/async/spawn_detached.hpp"
#include "nopal/runtime.hpp"
#include "nopal/statistics.hpp"

namespace nopal {

namespace detail {
/// Does what runtime::claim() does, for the runtime that has `s`, or a claim whose scheduler is
/// `s`.
nopal::claim claim_workers_of(scheduler& s, const claim_options& o);
/// Returns the scheduler of a claim.
/// \throws std::logic_error if `c` has been moved from.
scheduler& scheduler_of(const nopal::claim& c);
}  // namespace detail

/// Workers of a runtime that are set apart: they run what is given to the claim and nothing else,
/// and no other worker runs that. Thieves steal within the claim, and strands that have waited go
/// on in it.
///
/// A worker is in one claim or in the runtime itself, and at least one stays in the runtime always.
/// So a runtime of P workers has up to P - 1 for its claims.
/// \code
/// nopal::runtime r({.workers = 4});
/// nopal::claim c = r.claim({.at_least = 1, .at_most = 2});  // invade
/// int answer = c.run([] { return 42; });                    // infect
/// c.shrink(c.workers() - 1);                                // retreat
/// \endcode
///
/// A claim by place has workers of certain CPUs, for data that lie near them. It takes them from
/// claims of any place, too, which get others instead.
/// \code
/// nopal::runtime r({.workers = 4, .pin = true});
/// nopal::claim near = r.claim({.at_most = 2, .place = {.numa_node = 0}});
/// \endcode
///
/// Workers are committed at once, and arrive when what they run has ended. A worker that runs a
/// strand for long, or is blocked in it, arrives late: then a call of run() may have to wait for
/// the first to arrive. The workers of the runtime that have nothing to do come first.
///
/// Memory: some five KiB for each worker of the runtime, and the stacks of the
/// strands that run, which are given back when the claim is destroyed.
/// Thread-safety: any thread may call any member at any time, except for the destructor and for the
/// moves. A thread that is no worker, and a strand of the runtime, of the claim itself, or of
/// another runtime or claim may call them.
/// Source: invasive computing, as in Schmaus 2015, sections 2.4.1 and 3.4.1.
class claim {
 public:
  /// A claim that was moved from has no workers. It may be destroyed and assigned to; all else
  /// throws std::logic_error.
  claim(claim&&) noexcept;
  claim& operator=(claim&&) noexcept;

  /// Waits for all work of the claim that is in flight. Then its workers go back to the runtime. A
  /// strand that calls it is suspended until the work has ended, and its worker runs something
  /// else. None of the claim's own strands may call it. It must come before the destructor of the
  /// runtime.
  ~claim();

  /// Runs f(args...) on the claim's workers, waits for it, and returns its result, as
  /// runtime::run() does.
  ///
  /// This is a plain call on a worker of the claim. A strand on any other worker is suspended, and
  /// goes on where it came from. Any other thread sleeps meanwhile.
  /// \throws whatever f throws; std::logic_error in a child of fork(2), which does not have the
  /// workers.
  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    if constexpr (detail::check_function<F, A...>())
      return detail::run_through(
          [this](void (*call)(void*), void* argument) { run_erased(call, argument); },
          std::forward<F>(f), std::forward<A>(args)...);
  }

  /// Has a worker of the claim run f(args...), and goes on. Nobody joins the function; ~claim waits
  /// for it. A task_scope of the claim joins its functions.
  /// \param f, args  they are moved or copied. An exception that escapes from f ends the process,
  /// with a message.
  /// \throws std::bad_alloc; std::logic_error in a child of fork(2), which does not have the
  /// workers.
  template <class F, class... A>
  void spawn(F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>())
      detail::spawn_detached(detail::scheduler_of(*this), std::forward<F>(f),
                             std::forward<A>(args)...);
  }

  /// Infects the claim with a team: has its workers run f(0, args...) to f(n - 1, args...), each as
  /// a function of its own, and goes on. Each worker that has nothing else to do takes one. Nobody
  /// joins the functions; ~claim waits for them.
  /// \code
  /// nopal::runtime r({.workers = 4});
  /// nopal::claim c = r.claim({.at_most = 3});
  /// nopal::countdown done(c.workers());
  /// c.infect(c.workers(), [&](unsigned) { done.signal_and_end(); });
  /// done.wait();
  /// \endcode
  /// \param n  the number of functions.
  /// \param f, args  they are copied for each function. An exception that escapes from f ends the
  /// process, with a message.
  /// \throws std::bad_alloc, and what copying throws: nothing is started then; std::logic_error in
  /// a child of fork(2), which does not have the workers.
  template <class F, class... A>
  void infect(unsigned n, const F& f, const A&... args) {
    if constexpr (detail::check_kept_call<const F&, unsigned, const A&...>())
      detail::spawn_team(detail::scheduler_of(*this), n,
                         [&](unsigned i) { return detail::keep_call(f, i, args...); });
  }

  /// The number of workers committed to the claim.
  /// \throws std::logic_error in a child of fork(2).
  [[nodiscard]] unsigned workers() const;

  /// Invades `n` more workers, of the same place.
  /// \throws std::runtime_error if fewer are free, and none comes then; std::logic_error in a child
  /// of fork(2).
  void grow(unsigned n);

  /// Retreats from `n` workers. Does not wait for them: each goes back to the runtime when what it
  /// runs has ended. All that they leave is run by the others.
  /// \throws std::invalid_argument if no worker would stay; std::logic_error in a child of fork(2).
  void shrink(unsigned n);

  /// The counts since the claim was made, by the index of the worker in its runtime; see
  /// statistics.
  [[nodiscard]] statistics stats() const;

 private:
  friend claim detail::claim_workers_of(detail::scheduler& s, const claim_options& o);
  friend detail::scheduler& detail::scheduler_of(const claim& c);
  explicit claim(std::unique_ptr<detail::owned_scheduler> s) noexcept;
  void run_erased(void (*call)(void*), void* argument);

  std::unique_ptr<detail::owned_scheduler> scheduler_;
};

}  // namespace nopal

#endif
