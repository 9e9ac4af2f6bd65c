// SPDX-License-Identifier: Apache-2.0
// A program of its own, with events: the thread of the timers is held up while the process ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "nopal/detail/wait/events.hpp"
#include "nopal/sync.hpp"
#include "platform/subscription.hpp"

namespace {

using namespace std::chrono_literals;
namespace wait_events = nopal::detail::wait_events;

struct hold_up {
  void operator()(const wait_events::looking& /*event*/) const {
    std::this_thread::sleep_for(40ms);
  }
};

void wait_and_exit() {
  ::alarm(20);  // ends the process if the thread never ends
  const nopal::detail::subscription<wait_events::looking> subscription(hold_up{});
  nopal::mutex m;
  m.lock();
  std::thread other([&m] {
    std::this_thread::sleep_for(5ms);
    m.unlock();
  });
  if (!m.try_lock_for(1h)) std::abort();  // starts the thread, which is about to look for long
  other.join();
  std::exit(0);
}

TEST(TimersEnd, ComesWhileTheThreadIsAboutToLook) {
  EXPECT_EXIT(wait_and_exit(), testing::ExitedWithCode(0), "");
}

}  // namespace
