// SPDX-License-Identifier: Apache-2.0
#include "runtime/owned_scheduler.hpp"

#include "nopal/detail/wait/waiter.hpp"
#include "platform/message.hpp"
#ifdef NOPAL_CHECK
#include <cstdio>

#include "nopal/detail/scheduler/noted_wait.hpp"
#endif

namespace nopal::detail {
#ifdef NOPAL_CHECK
namespace {

/// Describes the wait at the end of a scheduler, for the message that names what waits in vain.
void describe_end(const void* ended, char* text, std::size_t bytes) noexcept {
  const auto& s = *static_cast<const scheduler*>(ended);
  const std::int64_t scopes = s.scopes.load(std::memory_order_relaxed);
  std::snprintf(text, bytes,
                "the destructor of a runtime or claim, for %lld nopal::task_scope%s of it to end",
                static_cast<long long>(scopes), scopes == 1 ? "" : "s");
}

}  // namespace
#endif

owned_scheduler::~owned_scheduler() {
  if (belongs_to_this_process() && !is_closed()) end();
}

void owned_scheduler::end() noexcept {
  if (this_worker() != nullptr && this_scheduler_worker().belongs_to == this)
    misuse(
        "a runtime or a claim is being destroyed by one of its own workers, which would wait for "
        "itself for ever. Destroy it outside of what it runs, after run() has returned");
  wait_for_calls();
  end_workers();
}

/// Waits until nothing is in flight, and lets nothing begin any more.
void owned_scheduler::wait_for_calls() noexcept {
#ifdef NOPAL_CHECK
  const scheduler* const ended = this;
  const noted_wait noted({describe_end, ended});
#endif
  wait_for([this](waiter& w) noexcept {
    return close([](void* waits) noexcept { static_cast<waiter*>(waits)->go_on(); }, &w);
  });
}

}  // namespace nopal::detail
