// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/async/worker_slots.hpp"

#include <algorithm>
#include <cstddef>

#include "nopal/detail/platform/assert.hpp"
#ifdef NOPAL_CHECK
#include "platform/message.hpp"
#include "strand/strand_worker.hpp"
#endif

namespace nopal::detail {

void worker_slots::put(const worker& w, void* p) {
  NOPAL_ASSERT(w.is_this_worker());
  constexpr std::size_t fewest = 16;
  const std::size_t i = w.number.value();
  const std::lock_guard lock(mutex_);
  std::vector<void*>* slots = newest_.load(std::memory_order_relaxed);
  if (slots == nullptr || slots->size() <= i) {
    all_.emplace_back(std::max({i + 1, fewest, slots != nullptr ? 2 * slots->size() : 0}));
    if (slots != nullptr) std::ranges::copy(*slots, all_.back().begin());
    slots = &all_.back();
  }
  NOPAL_ASSERT((*slots)[i] == nullptr);
  (*slots)[i] = p;
  newest_.store(slots, std::memory_order_release);  // pairs with find()
}

#ifdef NOPAL_CHECK
stays_on_worker::stays_on_worker() noexcept
    : worker_(this_worker()),
      forks_(worker_->forks.load(std::memory_order_relaxed)),
      switches_(this_strand_worker().count.snapshot().stack_switches) {}

stays_on_worker::~stays_on_worker() {
  if (this_worker() != worker_ || worker_->forks.load(std::memory_order_relaxed) != forks_ ||
      this_strand_worker().count.snapshot().stack_switches != switches_)
    misuse(
        "a function that nopal::worker_local::with() called has forked or suspended. Another "
        "strand may have used the same value meanwhile, or this one may have come to another "
        "worker. Fork and wait outside of with()");
}
#endif

}  // namespace nopal::detail
