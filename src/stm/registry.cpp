// SPDX-License-Identifier: Apache-2.0
#include "stm/registry.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/events.hpp"
#include "platform/threads/kept_for_thread.hpp"
#include "platform/unloading/at_unloading.hpp"

namespace nopal::detail {

constinit stm_clock clock_of_stm;
constinit std::atomic<transaction_log*> first_log{nullptr};

namespace {

constinit std::mutex free_logs_mutex;
constinit transaction_log* free_logs = nullptr;

constinit thread_local transaction_log* log_of_thread = nullptr;
constinit thread_local bool has_thread_end = false;
constinit thread_local bool thread_ends = false;

/// Gives a log to those that no thread has.
void make_free(transaction_log& l) noexcept {
  const std::lock_guard lock(free_logs_mutex);
  l.next_free = std::exchange(free_logs, &l);
}

/// Takes a log that no thread has, or returns nullptr.
transaction_log* take_free() noexcept {
  const std::lock_guard lock(free_logs_mutex);
  transaction_log* l = free_logs;
  if (l != nullptr) free_logs = l->next_free;
  return l;
}

/// Gives the thread's log to others when the thread ends.
struct thread_end : kept_for_thread {
  void thread_ends() noexcept override {
    detail::thread_ends = true;
    if (transaction_log* l = std::exchange(log_of_thread, nullptr)) make_free(*l);
  }
};

/// Frees all logs, and what they have retired, when the code of nopal is unmapped.
/// \see at_unloading
void free_logs_at_unloading(bool process_ends) noexcept {
  if (process_ends) return;
  // Nothing runs any more, so all that was retired can be freed. Destructors may run transactions.
  for_each_log(reclaim);
  free_logs = nullptr;
  for (transaction_log* l = first_log.exchange(nullptr, std::memory_order_relaxed); l != nullptr;)
    delete std::exchange(l, l->next);
}

constinit at_unloading frees_logs{unloading_step::memory, free_logs_at_unloading};

/// Makes a log, and adds it to the list of all.
transaction_log& make_log() {
  choose_fences(true);
  frees_logs.note();
  auto* l = new transaction_log;
  l->random = reinterpret_cast<std::uintptr_t>(l) | 1;
  l->next = first_log.load(std::memory_order_relaxed);
  // Pairs with the acquire in for_each_log().
  while (!first_log.compare_exchange_weak(l->next, l, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
  return *l;
}

/// Returns a log for a transaction of a thread that has no log of its own to give: it had none yet,
/// or another transaction that it has begun has the log.
transaction_log& take_other_log() {
  if (!has_thread_end && !thread_ends) {
    keep_for_this_thread(std::make_unique<thread_end>());
    has_thread_end = true;
  }
  transaction_log* l = take_free();
  return l != nullptr ? *l : make_log();
}

/// Returns the oldest clock that a running transaction may have begun with. What was destroyed
/// before that can be freed.
std::uint64_t oldest_start() noexcept {
  emit<stm_events::reclaiming>();
  // Pairs with the light fence in transaction_core::begin(): either the announcement is seen here,
  // or that transaction does not find what the caller has retired.
  heavy_fence();
  std::uint64_t oldest = transaction_log::idle;
  for_each_log([&](const transaction_log& l) {
    // Pairs with the release in transaction_core::end(): what the transaction has read, it has read
    // before.
    oldest = std::min(oldest, l.start.load(acquire_at_fence));
  });
  return oldest;
}

}  // namespace

// A function that takes the address of a thread-local must not go on on another thread. So these
// are not inlined, and suspend nothing.
NOPAL_NOINLINE transaction_log& take_log() {
  if (transaction_log* l = std::exchange(log_of_thread, nullptr)) return *l;
  return take_other_log();
}

NOPAL_NOINLINE void give_back_log(transaction_log& l) noexcept {
  NOPAL_ASSERT(l.start.load(std::memory_order_relaxed) == transaction_log::idle);
  // A thread that has begun no transaction has no thread_end to pass the log on.
  if (log_of_thread == nullptr && has_thread_end && !thread_ends)
    log_of_thread = &l;
  else
    make_free(l);
}

void reclaim(transaction_log& l) noexcept {
  NOPAL_ASSERT(l.start.load(std::memory_order_relaxed) == transaction_log::idle);
  if (l.destroyed.has_retired()) l.destroyed.reclaim(oldest_start(), l.freed);
}

void reclaim_of_free_logs() noexcept {
  // The logs are taken one after the other, and given back together.
  transaction_log* done = nullptr;
  while (transaction_log* l = take_free()) {
    reclaim(*l);
    l->next_free = std::exchange(done, l);
  }
  while (done != nullptr) {
    transaction_log* next = done->next_free;
    make_free(*done);
    done = next;
  }
}

}  // namespace nopal::detail
