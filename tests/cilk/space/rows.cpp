// SPDX-License-Identifier: Apache-2.0
// The stacks of spawns that follow one another: as many whatever their number is.
#include <cilk/cilk.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "nopal/nopal.hpp"

namespace {

using namespace std::chrono_literals;

constexpr std::size_t workers = 3;

/// Spawned functions, each of which ends when the next has begun on another worker. If a thief
/// waited for those that it is stolen from, each would keep a stack.
class row {
 public:
  void run(std::size_t i) {
    begun_[i] = true;
    const auto deadline = std::chrono::steady_clock::now() + 50ms;
    while (!begun_[i + 1] && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (begun_[i + 1]) ++overtaken_;
  }
  void run_last(std::size_t i) { begun_[i] = true; }
  [[nodiscard]] std::size_t overtaken() const { return overtaken_; }

 private:
  std::atomic<bool> begun_[49] = {};
  std::atomic<std::size_t> overtaken_ = 0;
};

#define ONE(i) cilk_spawn r.run(i);
#define FOUR(i) ONE(i) ONE((i) + 1) ONE((i) + 2) ONE((i) + 3)
#define SIXTEEN(i) FOUR(i) FOUR((i) + 4) FOUR((i) + 8) FOUR((i) + 12)

void four(row& r) {
  FOUR(0)
  r.run_last(4);
  cilk_sync;
}

void eight(row& r) {
  FOUR(0)
  FOUR(4)
  r.run_last(8);
  cilk_sync;
}

void forty_eight(row& r) {
  SIXTEEN(0)
  SIXTEEN(16)
  SIXTEEN(32)
  r.run_last(48);
  cilk_sync;
}

/// The function's own stack waits, that of the rest that was stolen from it, and, where the first
/// spawns need frames, that on which a thief has gone on with the function.
constexpr std::size_t most_stacks = workers + 3;

bool check(const char* name, void (*spawn)(row&), std::size_t spawns) {
  constexpr int most_tries = 20;
  std::size_t overtaken = 0;
  std::size_t stacks = 0;
  for (int i = 0; i < most_tries && overtaken < spawns / 2; ++i) {
    nopal::runtime r({.workers = workers});
    row pieces;
    r.run([&] { spawn(pieces); });
    overtaken = pieces.overtaken();
    stacks = std::max(stacks, r.stats().peak_stacks_in_use);
  }
  std::printf("%s: at most %zu stacks, %zu of %zu overtaken\n", name, stacks, overtaken, spawns);
  return stacks <= most_stacks && overtaken >= spawns / 2;
}

}  // namespace

int main() {
  const bool four_hold = check("4 spawns", four, 4);
  const bool eight_hold = check("8 spawns", eight, 8);
  const bool all_hold = check("48 spawns", forty_eight, 48);
  return four_hold && eight_hold && all_hold ? 0 : 1;
}
