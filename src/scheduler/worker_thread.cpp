// SPDX-License-Identifier: Apache-2.0
// This is the thread of a worker, from its start to its end.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include "platform/message.hpp"
#include "platform/process_generation.hpp"
#include "platform/signals_blocked.hpp"
#include "platform/threads/thread_setting.hpp"
#include "platform/unloading/at_unloading.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"
#include "strand/overflow.hpp"

namespace nopal::detail {
namespace {

/// Returns what to tell the user if a fault at `address` is an overflow of the stack of the strand
/// that runs, else nullptr. The handler of SIGSEGV asks this (strand/overflow.hpp).
const char* what_overflows_at(const void* address) noexcept {
  const worker* w = this_worker();
  if (w == nullptr) return nullptr;
  const stack* s = static_cast<const strand_worker*>(w)->current;
  if (s == nullptr || !s->guards(address)) return nullptr;
  return s->lent()
             ? "stack overflow: parallel code that a thread outside of nopal calls runs on the "
               "stack of that thread, and needs more than it has. Give the thread more "
               "(ulimit -s for the main thread, pthread_attr_setstacksize for others), let a "
               "worker run the call (NOPAL_CALLER_WORKS=0) with enough NOPAL_STACK_BYTES, or "
               "recurse less deeply"
             : "stack overflow: a strand needs more than its stack has. Raise "
               "nopal::options::stack_bytes of its runtime or, if that has no options, the "
               "environment variable NOPAL_STACK_BYTES (1M unless set), or recurse less deeply";
}

/// The number of runtimes whose workers are threads.
constinit std::atomic<int> runtimes_with_threads{0};

/// Ends the program if the code of nopal is unmapped while workers would go on in it.
/// \see at_unloading
void require_no_runtime(bool process_ends) noexcept {
  // A child of fork(2) has the runtimes of the parent, but not their threads.
  if (process_ends || process_generation() != 0) return;
  if (runtimes_with_threads.load(std::memory_order_relaxed) != 0)
    misuse(
        "the shared object that contains nopal is unloaded while a nopal::runtime of it lives, "
        "whose "
        "workers would go on in code that is not there. Destroy it before dlclose(3)");
}

constinit at_unloading requires_no_runtime{unloading_step::workers, require_no_runtime};

}  // namespace

std::string no_more_started(const std::string& what, unsigned started, unsigned wanted) {
  std::string text = "nopal: ";
  if (wanted == 1)
    text += "the " + what + " of the one worker cannot be started";
  else
    text += "the " + what + " of worker " + std::to_string(started + 1) + " of " +
            std::to_string(wanted) + " cannot be started";
  text +=
      "; raise the limit of threads, processes or memory (ulimit -u, pids.max of the control "
      "group, ulimit -v)";
  if (started != 0) text += ", or ask for fewer workers (options::workers, NOPAL_WORKERS)";
  return text;
}

/// Starts the threads of the workers, for the constructor. If not all can be started, it ends those
/// that were, and throws.
void scheduler::start_threads() {
  install_overflow_handler(what_overflows_at);
  // This thread still has the program's setting.
  static_cast<void>(thread_setting::of_program());
  if (!supply_.is_shared()) return;  // then processes call be_worker()
  requires_no_runtime.note();
  runtimes_with_threads.fetch_add(1, std::memory_order_relaxed);
  try {
    for (unsigned i = 0; i < workers(); ++i) {
      if (i >= machine_.thread_limit) throw std::bad_alloc();
      threads_.emplace_back([this, i] { thread_main(*workers_[i], cpus_[i]); });
    }
#ifdef NOPAL_CHECK
    const signals_blocked inherited_by_the_watch;
    watch_ = std::make_unique<watch>(*this, machine_.patience);
#endif
  } catch (const std::system_error& e) {
    const auto started = static_cast<unsigned>(threads_.size());
    end_threads();
    throw std::system_error(e.code(), no_more_started("thread", started, workers()));
  } catch (...) {  // there is no memory for one more
    end_threads();
    throw;
  }
}

void scheduler::be_worker(unsigned i) { thread_main(*workers_[i], cpus_[i]); }

/// Stops the workers, and waits for their threads. Nothing is in flight.
void scheduler::end_threads() noexcept {
  stop();
  for (std::thread& t : threads_) t.join();
  if (supply_.is_shared()) runtimes_with_threads.fetch_sub(1, std::memory_order_relaxed);
}

/// Binds the thread to `cpu`, or only lets it begin there. A worker that is not to be bound begins
/// on its CPU nevertheless, since its distances to victims are those of that CPU. What it hands on
/// to threads and processes is what its starter had. The kernel moves it when it must, and keeps
/// threads on their NUMA node if it can.
void scheduler::settle_on(unsigned cpu) noexcept {
  const thread_setting before = thread_setting::of_this_thread();
  const bool bound = bind_this_thread_to(cpu);
  if (!options_.pin)
    before.apply_cpus();
  else if (!bound)
    unpinned_.fetch_add(1, std::memory_order_relaxed);
}

/// This is the whole life of a worker's thread. It runs the worker here and, while it is in a
/// claim, the worker of the same index there.
/// \param cpu  the CPU on which it begins.
void scheduler::thread_main(scheduler_worker& w, unsigned cpu) {
  pthread_setname_np(pthread_self(), ("nopal-" + std::to_string(w.index)).c_str());
  unblock_faults();
  if (machine_.synthetic_topology.empty()) settle_on(cpu);
  const signal_stack handles_overflow;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &w.scheduler_fiber.low, &w.scheduler_fiber.bytes);
    pthread_attr_destroy(&attributes);
  }
  adopt_fiber(w.scheduler_fiber);
#ifdef NOPAL_CHECK
  w.thread.store(gettid(), std::memory_order_relaxed);
#endif
  for (scheduler* here = this; here != nullptr;) {
    scheduler_worker& seat = here->worker_at(w.index);
    seat.scheduler_fiber = w.scheduler_fiber;
    become_worker(seat);
    scheduler* const next = here->run_worker(seat);
    resign_worker();
    if (here != this) claims_->left(*here);
    here = next;
  }
}

}  // namespace nopal::detail
