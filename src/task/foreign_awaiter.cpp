// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/foreign/foreign_awaiter.hpp"

#include "nopal/detail/wait/events.hpp"
#include "nopal/task/abandoned.hpp"
#include "platform/message.hpp"

namespace nopal::detail {

foreign_wait::foreign_wait(task_promise& t) noexcept
    : handle_target{on_resume, on_destroy}, waiter_(t) {}

bool foreign_wait::wait() noexcept {
  return waiter_.wait_for([this](waiter& w) noexcept {
    emit<wait_events::announcing>();
    std::uintptr_t before = pending;
    // The release pairs with the acquire in comes_to(), which finds the waiter. The acquire pairs
    // with the release there.
    return word_.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(&w),
                                         std::memory_order_acq_rel, std::memory_order_acquire);
  });
}

void foreign_wait::on_resume(handle_target* self) noexcept {
  static_cast<foreign_wait*>(self)->comes_to(resumed);
}

void foreign_wait::on_destroy(handle_target* self) noexcept {
  static_cast<foreign_wait*>(self)->comes_to(destroyed);
}

/// Lets the task go on, if it has announced itself. Otherwise it finds `end` when it does. It may
/// be gone when this returns.
void foreign_wait::comes_to(std::uintptr_t end) noexcept {
  emit<wait_events::completing>();
  // The acquire pairs with the release in wait(), and the release with the acquire there.
  const std::uintptr_t before = word_.exchange(end, std::memory_order_acq_rel);
  if (before == resumed || before == destroyed)
    misuse(
        "the handle of a task that awaits something was resumed or destroyed twice. An awaitable, "
        "and whoever has the handle from it, resumes it once, or destroys it once");
  if (before != pending) reinterpret_cast<waiter*>(before)->go_on();
}

void foreign_wait::throw_abandoned() {
  throw abandoned(
      "nopal: the handle of a task that awaits something was destroyed instead of resumed, so "
      "nobody will say what the task awaits");
}

}  // namespace nopal::detail
