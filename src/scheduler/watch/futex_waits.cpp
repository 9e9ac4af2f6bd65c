// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "scheduler/watch/futex_waits.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platform/message.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/victims.hpp"
#include "scheduler/watch/thread_file.hpp"

namespace nopal::detail {
namespace {

constexpr std::chrono::seconds patience{1};

/// Returns a number for the strand that `w` runs, which another strand, or the same after a wait,
/// does not have. Returns nothing if `w` runs none. A worker goes to the stack of a strand and back
/// in turn, so it is there if it has changed its stack an odd number of times.
std::optional<std::uint64_t> strand_on(const scheduler_worker& w) {
  const std::uint64_t switches = w.count.snapshot().stack_switches;
  return switches % 2 != 0 ? std::optional(switches) : std::nullopt;
}

/// A futex call of a strand. Its strings are short enough to need no memory of their own.
struct futex_call {
  std::size_t which;  ///< A number that another call does not have.
  std::string address;
  std::string stack_pointer;
};

bool is_futex(std::string_view number) {
#ifdef SYS_futex_waitv
  if (number == std::to_string(SYS_futex_waitv)) return true;
#endif
  return number == std::to_string(SYS_futex);
}

/// Returns the futex call that `w` is in, if it runs a strand, and the kernel tells.
///
/// The line of a system call has its number, six arguments, the stack pointer and the program
/// counter. A thread that gets a lock and waits for it again makes the same call with all of these,
/// but it has run meanwhile, and has other times.
std::optional<futex_call> call_of(const scheduler_worker& w) {
  const std::optional<std::uint64_t> strand = strand_on(w);
  if (!strand) return std::nullopt;
  const pid_t thread = w.thread.load(std::memory_order_relaxed);
  file_line room;
  const std::string_view line = first_line(room, thread, "syscall");
  std::array<std::string_view, 9> fields;
  std::string_view rest = line;
  for (std::string_view& field : fields) {
    field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  }
  if (fields.back().empty() || !is_futex(fields.front())) return std::nullopt;
  file_line room_of_times;
  const std::string_view times = first_line(room_of_times, thread, "schedstat");
  if (times.empty() || times.starts_with("0 ")) return std::nullopt;  // the kernel does not count
  const std::hash<std::string_view> number_for;
  return futex_call{.which = mixed(mixed(number_for(line), number_for(times)), *strand),
                    .address = std::string(fields[1]),
                    .stack_pointer = std::string(fields[7])};
}

void say(const scheduler_worker& w, const futex_call& c, std::chrono::milliseconds waited) {
  const std::string text =
      "worker " + std::to_string(w.index) +
      " of a runtime has been in one futex call outside of nopal for " +
      std::to_string(waited.count()) + " ms, at address " + c.address +
      ", in the strand whose stack pointer is " + c.stack_pointer +
      ".\nThe worker runs nothing else meanwhile. Mostly this is a std::mutex, std::call_once, a "
      "local static that another strand initializes, or a lock of malloc or stdio. Use "
      "nopal::mutex or nopal::once, wait in nopal::blocking, or initialize before strands need it";
  write_message(text.c_str());
}

}  // namespace

void futex_waits::look_at(const scheduler_worker& w, wait& last) {
  const std::optional<futex_call> c = call_of(w);
  const clock::time_point now = clock::now();
  if (!c || c->which != last.call) {
    last = {.call = c ? c->which : 0, .since = now};
  } else if (!last.said && now - last.since >= patience) {
    last.said = true;
    say(w, *c, std::chrono::duration_cast<std::chrono::milliseconds>(now - last.since));
  }
}

void futex_waits::look(scheduler& s) {
  for (unsigned i = 0; i < s.workers(); ++i) look_at(s.worker_at(i), of_workers_[i]);
}

}  // namespace nopal::detail

#endif
