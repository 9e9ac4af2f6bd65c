// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/countdown.hpp"

#include "nopal/detail/scheduler/submission.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "platform/message.hpp"

namespace nopal {

bool countdown::announce(detail::waiter& w) noexcept {
  waiter_ = &w;
  // Released for the signal that is the last one, which reads waiter_; acquired from the signals,
  // if all have come.
  const std::int64_t before = word_.fetch_add(somebody_waits, std::memory_order_acq_rel);
  if ((before & somebody_waits) != 0)
    detail::broken_invariant(
        "two strands wait for one nopal::countdown, which lets only one go on. Give each its own, "
        "and signal both");
  return before != 0;
}

/// Whoever has waited, after the last signal: nobody else touches the word.
void countdown::begin_again() noexcept {
  NOPAL_ASSERT(word_.load(std::memory_order_relaxed) / one_signal == 0);
  word_.store(0, std::memory_order_relaxed);
}

void countdown::wait() noexcept {
  if (!done()) {
    auto announces = [this](detail::waiter& w) noexcept { return announce(w); };
    detail::wait_for(detail::announcement_of(announces));
  }
  begin_again();
}

void countdown::signal_last(void* self) noexcept {
  auto& d = *static_cast<countdown*>(self);
  // As in signal().
  if (d.word_.fetch_sub(one_signal, std::memory_order_acq_rel) - one_signal == somebody_waits)
    d.waiter_->go_on_here();
}

void countdown::signal_and_end() noexcept {
  if (detail::this_worker() == nullptr)
    signal();
  else
    detail::last_act(signal_last, this);
}

}  // namespace nopal
