// SPDX-License-Identifier: Apache-2.0
// Thread-local variables across forks. Position-independent code asks a function for their address,
// and compilers keep what it returns; so this is compiled as such.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/runtime.hpp"

namespace nopal_test {

thread_local int place = 0;  // its address says which thread it belongs to

struct seen {
  const int* before;
  const int* after;
  const int* plainly;
  std::thread::id from, to;
};

void child(std::atomic<bool>* stolen) {
  while (!*stolen) std::this_thread::yield();
}

const int* here() {
  return &nopal::on_this_thread([]() -> int& { return place; });
}

// Forks until a thief has taken the rest of the function, which is on another thread then.
NOPAL_FORKS seen addresses_across_a_steal() {
  nopal::fork_frame frame;
  std::atomic<bool> stolen{false};
  seen s{};
  s.from = std::this_thread::get_id();
  s.before = here();
  place = 1;
  frame.fork(child, &stolen);
  s.to = std::this_thread::get_id();
  s.after = here();
  s.plainly = &place;
  stolen = true;
  frame.join();
  return s;
}

}  // namespace nopal_test

namespace {

TEST(OnThisThread, ReadsTheVariableOfTheThreadAfterASteal) {
  nopal::runtime two({.workers = 2});
  int kept = 0;
  for (int i = 0; i < 20; ++i) {
    const nopal_test::seen s = two.run(nopal_test::addresses_across_a_steal);
    EXPECT_NE(s.before, s.after);
    kept += s.plainly == s.before ? 1 : 0;
  }
  std::cout << kept << " of 20 strands kept the address of the thread that they had left\n";
}

TEST(OnThisThread, ReturnsWhatTheFunctionReturns) {
  EXPECT_EQ(nopal::on_this_thread([] { return 7; }), 7);
  nopal_test::place = 3;
  ++nopal::on_this_thread([]() -> int& { return nopal_test::place; });
  EXPECT_EQ(nopal_test::place, 4);
}

}  // namespace
