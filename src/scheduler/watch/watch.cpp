// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "scheduler/watch/watch.hpp"

#include <pthread.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platform/futex.hpp"
#include "platform/message.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/victims.hpp"
#include "scheduler/watch/thread_file.hpp"

namespace nopal::detail {
namespace {

/// The longest time between two looks, so that a wait of little more than a second is seen.
constexpr std::chrono::milliseconds longest_rest{250};

/// Returns a number for what a worker has done so far: its strands, and what the system counts of
/// its thread. Returns nothing if it is not asleep in the kernel.
std::optional<std::uint64_t> done_by(const scheduler_worker& w) {
  file_line room;
  const std::string_view stat = first_line(room, w.thread.load(std::memory_order_relaxed), "stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string_view::npos || name_ends + 2 >= stat.size()) return std::nullopt;
  const char state = stat[name_ends + 2];
  if (state != 'S' && state != 'D') return std::nullopt;
  // The first thirteen fields from the state on, faults and times, do not change while the thread
  // sleeps.
  std::size_t end = name_ends + 1;
  for (int field = 0; field < 13 && end != std::string_view::npos; ++field)
    end = stat.find(' ', end + 1);
  const std::uint64_t seen = std::hash<std::string_view>{}(stat.substr(0, end));
  const std::uint64_t forks = w.forks.load(std::memory_order_relaxed);
  return mixed(mixed(seen, forks), w.count.snapshot().stack_switches);
}

/// Returns a number for what all workers have done so far, or nothing unless all are blocked.
std::optional<std::uint64_t> done_by_all(scheduler& s) {
  if (!s.all_run_while_work_waits()) return std::nullopt;
  std::uint64_t all = 0;
  for (unsigned i = 0; i < s.workers(); ++i) {
    const std::optional<std::uint64_t> one = done_by(s.worker_at(i));
    if (!one) return std::nullopt;
    all = mixed(all, *one);
  }
  return all;
}

/// Returns what a blocked worker sleeps in, as far as the kernel tells, for the watch's message.
std::string where_it_sleeps(const scheduler_worker& w) {
  file_line room;
  const std::string_view call =
      first_line(room, w.thread.load(std::memory_order_relaxed), "syscall");
  const std::string number(call.substr(0, call.find(' ')));
  if (number == std::to_string(SYS_futex)) return "waits for a lock or for another thread (futex)";
  return number.empty() ? "sleeps in the kernel" : "sleeps in system call " + number;
}

}  // namespace

watch::watch(scheduler& s, std::chrono::milliseconds patience)
    : scheduler_(s), futex_waits_(s.workers()), thread_([this, patience] { run(patience); }) {}

watch::~watch() {
  if (!thread_.joinable()) return;
  ended_.store(1, std::memory_order_release);  // pairs with the load in run()
  futex_wake(ended_, 1);
  thread_.join();
}

/// Looks, from time to time, whether a worker has done something since the last look.
void watch::run(std::chrono::milliseconds patience) {
  using clock = std::chrono::steady_clock;
  pthread_setname_np(pthread_self(), "nopal-watch");
  std::optional<std::uint64_t> known;
  clock::time_point known_since;
  bool said = false;
  while (ended_.load(std::memory_order_acquire) == 0) {  // pairs with the store in ~watch()
    const clock::time_point now = clock::now();
    const std::optional<std::uint64_t> done = done_by_all(scheduler_);
    if (!done || done != known) {
      known = done;
      known_since = now;
    } else if (!said && now - known_since >= patience) {
      said = true;
      say_blocked(patience);
    }
    if (noted_waits* all = noted_waits::of_this_process()) all->look(patience);
    futex_waits_.look(scheduler_);
    futex_wait_until(ended_, 0, now + std::min(patience / 4, longest_rest));
  }
}

/// Tells the user that the workers are blocked, and in what.
void watch::say_blocked(std::chrono::milliseconds patience) const {
  std::string text = "all " + std::to_string(scheduler_.workers()) +
                     " workers of a runtime have been blocked for " +
                     std::to_string(patience.count()) + " ms while work waits for one of them:";
  for (unsigned i = 0; i < scheduler_.workers(); ++i)
    text += "\n  worker " + std::to_string(i) + " " + where_it_sleeps(scheduler_.worker_at(i));
  text +=
      "\nA strand that blocks keeps its worker. Let strands wait for each other by joins, "
      "countdowns and scopes, hold no lock across a fork, a join or a wait, and wait for the "
      "system "
      "through nopal::io or nopal::blocking";
  write_message(text.c_str());
}

}  // namespace nopal::detail

#endif
