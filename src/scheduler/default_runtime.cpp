// SPDX-License-Identifier: Apache-2.0
#include "scheduler/default_runtime.hpp"

#include <atomic>
#include <cstdlib>

#include "scheduler/scheduler.hpp"

namespace nopal::detail {
namespace {

std::atomic<scheduler*> the_default{nullptr};

/// Ends the workers before static objects, which they might use, are gone.
void end_default() {
  if (this_worker() != nullptr) return;  // exit() in parallel code: its own worker cannot be waited for
  scheduler* s = the_default.exchange(nullptr, std::memory_order_acq_rel);  // pairs with default_scheduler()
  if (s != nullptr && s->belongs_to_this_process()) delete s;
}

}  // namespace

scheduler& default_scheduler() {
  scheduler* known = the_default.load(std::memory_order_acquire);  // pairs with the compare-and-swap below
  if (known != nullptr && known->belongs_to_this_process()) return *known;
  // No lock, which a thread of the parent might hold for ever in a child of fork(2): of two that come at the same time, one
  // has started its workers in vain.
  auto fresh = std::make_unique<scheduler>(options::from_environment());
  while (!the_default.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    if (known != nullptr && known->belongs_to_this_process()) return *known;
  std::atexit(end_default);
  return *fresh.release();
}

}  // namespace nopal::detail
