// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <signal.h>

#include <atomic>

namespace treehash {
namespace {

std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

// Accesses here and in interrupted() are relaxed: the flag orders no other data.
void remember(int number) { signal_number.store(number, std::memory_order_relaxed); }

}  // namespace

void catch_interrupts() noexcept {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction old = {};
    // nohup and shells without job control start background programs with the signal ignored. It
    // stays ignored.
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

int interrupted() noexcept { return signal_number.load(std::memory_order_relaxed); }

}  // namespace treehash
