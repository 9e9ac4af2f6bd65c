// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/countdown.hpp"

#include <cstdio>
#include <string>

#include "nopal/detail/scheduler/submission.hpp"
#include "platform/message.hpp"
#include "strand/strand_worker.hpp"

namespace nopal {

/// Has whoever gives the last signal serve `d`. Returns false if all signals have come already:
/// then nobody does.
bool countdown::announce(detail::decision& d) noexcept {
  decision_ = &d;
  // This releases for the last signal, which reads decision_, and acquires from the signals, if all
  // have come.
  const std::int64_t before = word_.fetch_add(somebody_waits, std::memory_order_acq_rel);
  if ((before & somebody_waits) != 0)
    detail::misuse(
        "two strands wait for one nopal::countdown, which lets only one go on. Give each its own, "
        "and signal both");
  return before != 0;
}

/// Takes the decision back for a limit. Returns false if the last signal has taken it, or another
/// limit has.
bool countdown::withdraw() noexcept {
  std::int64_t seen = word_.load(std::memory_order_relaxed);
  do {
    if ((seen & somebody_waits) == 0 || seen == somebody_waits) return false;
    // No order is needed: whoever waits does not go on by this, and goes on with nothing that the
    // signals tell.
  } while (!word_.compare_exchange_weak(seen, seen - somebody_waits, std::memory_order_relaxed,
                                        std::memory_order_relaxed));
  return true;
}

/// Makes the countdown count from 0 again. Whoever has waited calls this after the last signal,
/// when nobody else touches the word.
void countdown::begin_again() noexcept {
  NOPAL_ASSERT(word_.load(std::memory_order_relaxed) / one_signal == 0);
  word_.store(0, std::memory_order_relaxed);
}

bool detail::countdown_operation::begin(decision& d, bool /*for_task*/) noexcept {
  d.is_known_by(*this);
  if (at_->announce(d)) return false;
  at_->begin_again();
  return true;
}

bool detail::countdown_operation::end(unsigned number) noexcept {
  if (!decision::is_limit(number)) at_->begin_again();
  return true;
}

bool detail::countdown_operation::withdraw_by_limit(withdrawable& self) noexcept {
  return static_cast<countdown_operation&>(self).at_->withdraw();
}

/// Makes the signal that signal_and_end() has asked for. The worker calls this when the strand has
/// left its stack, so it can go on with whoever waits at once.
void countdown::signal_last(void* self) noexcept {
  auto& d = *static_cast<countdown*>(self);
  // The orders are those of signal().
  const std::int64_t before = d.word_.fetch_sub(one_signal, std::memory_order_acq_rel);
  check_signalled(before, 1);
  if (before - one_signal == somebody_waits) d.decision_->serve(&detail::waiter::go_on_here);
}

void countdown::signal_and_end() noexcept {
  if (!detail::is_on_worker_of_this_process())
    signal();
  else
    detail::last_act(signal_last, this);
}

#ifdef NOPAL_CHECK

/// Returns the description of a wait, for the message that names what waits in vain.
detail::noted_wait::reason detail::countdown_operation::as_reason() const noexcept {
  const auto describe = [](const void* self, char* text, std::size_t bytes) noexcept {
    const auto& d = *static_cast<const countdown*>(self);
    const std::int64_t missing = d.word_.load(std::memory_order_relaxed) / countdown::one_signal;
    std::snprintf(text, bytes,
                  "a strand, task or thread for %lld more signal%s to the nopal::countdown at %p",
                  static_cast<long long>(missing), missing == 1 ? "" : "s", self);
  };
  return {describe, at_};
}

countdown::~countdown() {
  if ((word_.load(std::memory_order_relaxed) & somebody_waits) != 0)
    detail::misuse(
        "a nopal::countdown ends while somebody waits for it, who would never go on. Let it live "
        "until wait() has returned");
}

/// Ends the program, in a checking build, if the number of signals that add() is given is wrong.
void countdown::check_added(std::int64_t k) noexcept {
  if (k < 0)
    detail::misuse((std::to_string(k) +
                    " signals are to be added to a nopal::countdown; allowed are 0 and "
                    "more. Signal what is not needed any more")
                       .c_str());
}

/// Ends the program, in a checking build, if more signals are given than the countdown counts.
void countdown::check_signalled(std::int64_t before, std::int64_t k) noexcept {
  if (k < 0)
    detail::misuse((std::to_string(k) +
                    " signals are given to a nopal::countdown; allowed are 0 and more. Call add()")
                       .c_str());
  if (before / one_signal < k)
    detail::misuse((std::to_string(k) + (k == 1 ? " signal" : " signals") +
                    " for a nopal::countdown that waits for " +
                    std::to_string(before / one_signal) +
                    ". Its constructor and add() say how many are to come")
                       .c_str());
}

#endif

}  // namespace nopal
