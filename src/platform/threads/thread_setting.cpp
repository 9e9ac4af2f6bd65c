// SPDX-License-Identifier: Apache-2.0
#include "platform/threads/thread_setting.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>

#include "platform/process_generation.hpp"

namespace nopal::detail {

thread_setting thread_setting::of_this_thread() noexcept {
  thread_setting s;
  pthread_sigmask(SIG_SETMASK, nullptr, &s.blocked_);
  s.cpus_ = {};
  s.knows_cpus_ = sched_getaffinity(0, sizeof s.cpus_, s.cpus_.data()) == 0;
  return s;
}

const thread_setting& thread_setting::of_program() noexcept {
  static thread_setting first = of_this_thread();
  static std::atomic<unsigned> generation{process_generation()};
  // The first thread of a child of fork(2) is alone, and starts the others after this.
  const unsigned now = process_generation();
  if (generation.exchange(now, std::memory_order_relaxed) != now) first = of_this_thread();
  return first;
}

void thread_setting::apply() const noexcept {
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  apply_cpus();
}

void thread_setting::apply_cpus() const noexcept {
  if (knows_cpus_) sched_setaffinity(0, sizeof cpus_, cpus_.data());
}

bool bind_this_thread_to(unsigned cpu) noexcept {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool bound = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

void unblock_faults() noexcept {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

}  // namespace nopal::detail
