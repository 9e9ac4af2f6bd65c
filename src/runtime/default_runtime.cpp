// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/runtime/default_runtime.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "nopal/runtime.hpp"
#include "platform/message.hpp"
#include "platform/unloading/at_unloading.hpp"
#include "runtime/lend.hpp"
#include "runtime/options.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal {
namespace detail {
namespace {

/// What set_default_workers() was given last; no_workers if it was not called.
constexpr unsigned no_workers = ~0U;
std::atomic<unsigned> wanted_workers{no_workers};

/// The options of the next default runtime.
options default_options() {
  options o = options::from_environment();
  // The number is all that is handed over.
  const unsigned wanted = wanted_workers.load(std::memory_order_relaxed);
  if (wanted != no_workers) o.workers = wanted;
  return checked(o);
}

/// Functions that are called when the first default runtime has started.
class start_calls {
 public:
  /// Returns false if that has started.
  bool add(void (*f)()) {
    auto fresh = std::make_unique<node>(node{f, newest_.load(std::memory_order_relaxed)});
    do {
      if (fresh->before == &started_) return false;
      // The release pairs with call_all().
    } while (!newest_.compare_exchange_weak(fresh->before, fresh.get(), std::memory_order_release,
                                            std::memory_order_relaxed));
    static_cast<void>(fresh.release());
    return true;
  }
  /// Calls all functions, the first one first. A later call does nothing.
  void call_all() {
    node* all = newest_.exchange(&started_, std::memory_order_acquire);  // Pairs with add().
    if (all == &started_) return;
    node* first = nullptr;
    while (all != nullptr) {
      node* const before = std::exchange(all->before, first);
      first = std::exchange(all, before);
    }
    while (first != nullptr) {
      const std::unique_ptr<node> here(std::exchange(first, first->before));
      here->function();
    }
  }

 private:
  struct node {
    void (*function)();
    node* before;
  };
  node started_{nullptr, nullptr};
  std::atomic<node*> newest_{nullptr};
};

constinit start_calls calls_at_start;

/// A default runtime is destroyed only when the code of nopal is unmapped: a thread that exit(3)
/// finds running may hold its address. Leak checkers find those before it through `before`.
struct default_runtime {
  owned_scheduler workers{default_options()};
  default_runtime* before = nullptr;
};

std::atomic<default_runtime*> newest_runtime{nullptr};
std::atomic<bool> registered{false};  ///< Whether end_newest() is called at exit(3).

/// Ends the workers before static objects, which they might use, are gone.
void end_newest() {
  // If parallel code calls exit(3), that cannot wait for its own worker.
  if (this_worker() != nullptr || a_strand_waits_for_this_thread) return;
  // Pairs with enter_default_scheduler().
  owned_scheduler& s = newest_runtime.load(std::memory_order_acquire)->workers;
  if (s.belongs_to_this_process()) s.end();
}

/// Ends the default runtimes when the code of nopal is unmapped, or as far as they may be ended at
/// the end of the process. \see at_unloading
void end_all(bool process_ends) noexcept {
  if (process_ends) {
    // The destructor of a static object may have started this runtime. All others have ended with
    // exit(3).
    default_runtime* r = newest_runtime.load(std::memory_order_acquire);  // as below
    if (r != nullptr && r->workers.belongs_to_this_process()) r->workers.end_if_idle();
    return;
  }
  if (this_worker() != nullptr || a_strand_waits_for_this_thread)
    misuse(
        "the shared object that contains nopal is unloaded by a function that its own workers run. "
        "Call dlclose(3) outside of them");
  // Pairs with enter_default_scheduler().
  default_runtime* r = newest_runtime.exchange(nullptr, std::memory_order_acquire);
  while (r != nullptr) delete std::exchange(r, r->before);
}

constinit at_unloading ends_all{unloading_step::runtimes, end_all};

bool entered(default_runtime* known) noexcept {
  return known != nullptr && known->workers.belongs_to_this_process() &&
         known->workers.started_unless_ended();
}

/// Returns how many workers the default runtime has, or nothing if it has not started, or has
/// ended.
std::optional<unsigned> workers_of_default_runtime() noexcept {
  // Pairs with enter_default_scheduler().
  default_runtime* known = newest_runtime.load(std::memory_order_acquire);
  if (!entered(known)) return std::nullopt;
  const unsigned n = known->workers.workers();
  known->workers.finished();
  return n;
}

}  // namespace

constinit thread_local bool a_strand_waits_for_this_thread = false;

scheduler& enter_default_scheduler() {
  for (;;) {
    // The acquire pairs with the compare-and-swap below.
    default_runtime* known = newest_runtime.load(std::memory_order_acquire);
    if (entered(known)) return known->workers;
    // There is no lock: a thread of the parent might hold it for ever in a child of fork(2). Of two
    // threads that come at the same time, one has started its workers in vain.
    auto fresh = std::make_unique<default_runtime>();
    fresh->before = known;
    if (!newest_runtime.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel,
                                                std::memory_order_relaxed))
      continue;
    fresh.release();
    ends_all.note();
    // This is done only once. Otherwise each default runtime that a thread starts anew, while
    // exit(3) ends the last one, would hold exit(3) up again.
    if (!registered.exchange(true, std::memory_order_relaxed)) std::atexit(end_newest);
    calls_at_start.call_all();
  }
}

bool at_default_start(void (*f)()) { return calls_at_start.add(f); }

bool default_runtime_runs() noexcept { return workers_of_default_runtime().has_value(); }

bool set_default_workers(unsigned n) noexcept {
  if (default_runtime_runs()) return false;
  wanted_workers.store(n, std::memory_order_relaxed);
  return true;
}

void end_default_runtime() noexcept {
  if (default_runtime_runs()) end_newest();
}

void run_on_default_or_here(void (*call)(void*), void* argument) {
  if (this_worker() != nullptr)
    call(argument);
  else
    run_on_default_runtime(call, argument);
}

void run_on_default_runtime(void (*f)(void*), void* argument) {
  // A guest need not be counted: this runtime lives as long as the code of nopal. If it has been
  // ended, it takes no guest.
  default_runtime* known = newest_runtime.load(std::memory_order_acquire);  // as above
  if (known != nullptr && known->workers.belongs_to_this_process() &&
      run_as_guest(known->workers, f, argument))
    return;
  scheduler& s = enter_default_scheduler();
  const counted_call counted(s);
  run_on(s, f, argument);
}

}  // namespace detail

unsigned workers() {
  if (detail::this_worker() != nullptr)
    return detail::this_scheduler_worker().belongs_to->workers();
  if (const std::optional<unsigned> known = detail::workers_of_default_runtime()) return *known;
  const unsigned wanted = detail::default_options().workers;
  return wanted != 0 ? wanted : detail::default_workers(detail::topology());
}

}  // namespace nopal
