// SPDX-License-Identifier: Apache-2.0
// Stack pages in use stay within P (S_1 + D): S_1 the pages of the serial stack, D the fork depth.
// All stacks count, those in use, spare and pooled.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "runtime/most_stack_pages.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/scheduler_run.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::reclaim_policy;
using nopal::detail::most_stack_pages;
using nopal::detail::owned_scheduler;

constexpr bool small = nopal_test::with_sanitizer;

/// Pages that a thief's stack may have beyond those of the serial stack, which nobody asks and
/// nobody steals from. Without optimization what nopal calls there, as for an answer to a thief
/// (push_aside), takes more than a page, and the whole of a small program less.
#ifdef __OPTIMIZE__
constexpr std::size_t pages_of_nopal = 0;
#else
constexpr std::size_t pages_of_nopal = 1;
#endif

NOPAL_FORKS std::uint64_t fib_by_frame(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_by_frame, n - 1);
  const std::uint64_t b = fib_by_frame(n - 2);
  frame.join();
  return a + b;
}

std::uint64_t fib_by_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = fib_by_closures(n - 1); }, [&] { b = fib_by_closures(n - 2); });
  return a + b;
}

using board = std::array<std::int8_t, 12>;

bool safe(const board& b, int row, int column) {
  for (int r = 0; r < row; ++r) {
    const int sideways = column - b[static_cast<std::size_t>(r)];
    if (sideways == 0 || sideways == row - r || sideways == r - row) return false;
  }
  return true;
}

NOPAL_FORKS std::uint64_t queens(board b, int row, int n) {
  if (row == n) return 1;
  std::array<std::uint64_t, 12> found{};
  nopal::fork_frame frame;
  for (int column = 0; column < n; ++column) {
    if (!safe(b, row, column)) continue;
    b[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
    frame.fork(&found[static_cast<std::size_t>(column)], queens, b, row + 1, n);
  }
  frame.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t f : found) sum += f;
  return sum;
}

/// The two halves, whatever the numbers: the depth is known.
void sort(int* first, int* last) {
  if (last - first <= 32) {
    std::sort(first, last);
    return;
  }
  int* middle = first + (last - first) / 2;
  std::nth_element(first, middle, last);
  nopal::parallel_invoke([=] { sort(first, middle); }, [=] { sort(middle, last); });
}

NOPAL_FORKS std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  std::array<std::uint64_t, 10> sums{};
  nopal::fork_frame frame;
  for (std::size_t i = 0; i < 10; ++i)
    frame.fork(&sums[i], skynet, first + i * (leaves / 10), leaves / 10);
  frame.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t s : sums) sum += s;
  return sum;
}

double curve(double x) { return (x * x + 1) * x; }

double integrate(double x1, double y1, double x2, double y2, double area, unsigned depth) {
  const double half = (x2 - x1) / 2;
  const double x0 = x1 + half;
  const double y0 = curve(x0);
  double left = (y1 + y0) / 2 * half;
  double right = (y0 + y2) / 2 * half;
  if (depth == 0 || std::abs(left + right - area) < 1e-6) return left + right;
  nopal::parallel_invoke([&, l = left] { left = integrate(x1, y1, x0, y0, l, depth - 1); },
                         [&, r = right] { right = integrate(x0, y0, x2, y2, r, depth - 1); });
  return left + right;
}

NOPAL_FORKS std::uint64_t loop(unsigned n) {
  std::atomic<std::uint64_t> sum{0};
  nopal::fork_frame frame;
  for (unsigned i = 0; i < n; ++i)
    frame.fork([&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
  frame.join();
  return sum;
}

/// Touches one byte of each page, as a call that goes deep and returns.
[[gnu::noinline]] void go_deep() {
  volatile char pages[32 * 4096];  // NOLINT(modernize-avoid-c-arrays): not to be initialized
  for (std::size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 1;
}

/// Each stack that waits has been deep, so the bound breaks if touched pages are kept.
void deep_before_each_fork(unsigned depth) {
  go_deep();
  if (depth == 0) return;
  nopal::parallel_invoke([=] { deep_before_each_fork(depth - 1); },
                         [=] { deep_before_each_fork(depth - 1); });
}

/// Pieces of a row, each of which ends when the next has begun on another worker. If a thief waited
/// for those that it is stolen from, each piece would keep a stack.
class row {
 public:
  static inline bool one_worker = false;  ///< Nobody can overtake.
  static inline std::atomic<std::size_t> most_overtaken = 0;

  explicit row(std::size_t pieces) : begun_(pieces) {}
  ~row() { most_overtaken = std::max<std::size_t>(most_overtaken, overtaken_); }
  row(const row&) = delete;
  row& operator=(const row&) = delete;

  void run(std::size_t i) {
    begun_[i] = true;
    if (one_worker || i + 1 == begun_.size()) return;
    const auto deadline = std::chrono::steady_clock::now() + 50ms;
    while (!begun_[i + 1] && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (begun_[i + 1]) ++overtaken_;
  }

 private:
  std::vector<std::atomic<bool>> begun_;
  std::atomic<std::size_t> overtaken_ = 0;
};

constexpr std::size_t many = 48;

void many_closures() {
  row r(many);
  [&r]<std::size_t... I>(std::index_sequence<I...>) {
    nopal::parallel_invoke([&r] { r.run(I); }...);
  }(std::make_index_sequence<many>{});
}

NOPAL_FORKS void many_children() {
  row r(many);
  nopal::fork_frame frame;
  for (std::size_t i = 0; i < many; ++i) frame.fork([&r, i] { r.run(i); });
  frame.join();
}

constexpr std::size_t blocks = 256;
/// A loop that is halved nests a run of blocks and a fork in two for each halving.
constexpr std::size_t depth_of_blocks = 2 * 8;

/// As long as the length of blocks has not settled, a thief takes all that is left of the loop.
void many_blocks() {
  row r(blocks);
  nopal::for_each(std::size_t{0}, blocks, [&r](std::size_t i) { r.run(i); });
}

struct workload {
  std::string name;
  std::size_t depth;  ///< D: the most functions that fork which call each other.
  std::function<void()> run;
  std::size_t in_row = 0;  ///< So many pieces follow each other; two of them run at a time.
};

std::vector<workload> workloads() {
  constexpr unsigned n = small ? 18 : 30;
  constexpr int rows = small ? 6 : 9;
  constexpr std::uint64_t leaves = small ? 1000 : 100000;
  constexpr std::size_t numbers = small ? 10000 : 1000000;
  constexpr unsigned halvings = 24;
  constexpr unsigned trips = small ? 10000 : 1000000;
  return {
      {"fib, frames", n - 1, [] { fib_by_frame(n); }},
      {"fib, closures", n - 1, [] { fib_by_closures(n); }},
      {"nqueens", rows, [] { EXPECT_EQ(queens({}, 0, rows), rows == 9 ? 352U : 4U); }},
      {"quicksort", static_cast<std::size_t>(std::ceil(std::log2(numbers / 32.0))),
       [] {
         std::vector<int> v(numbers);
         std::mt19937 random(1);
         for (int& x : v) x = static_cast<int>(random());
         sort(v.data(), v.data() + v.size());
         EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
       }},
      {"skynet", leaves == 1000 ? 3 : 5,
       [] { EXPECT_EQ(skynet(0, leaves), leaves * (leaves - 1) / 2); }},
      {"integrate", halvings,
       [] { integrate(0, 0, small ? 10 : 100, curve(small ? 10 : 100), 0, halvings); }},
      {"deep", 12, [] { deep_before_each_fork(12); }},
      {"loop", 1, [] { EXPECT_EQ(loop(trips), std::uint64_t{trips} * (trips - 1) / 2); }},
      {"48 closures", 1, many_closures, many},
      {"48 children of a frame", 1, many_children, many},
      {"256 blocks", depth_of_blocks, many_blocks, blocks},
  };
}

/// Pages of the serial stack: of one worker that keeps what it has touched.
std::size_t serial_pages(const workload& w) {
  owned_scheduler s({.workers = 1, .reclaim = reclaim_policy::none, .caller_works = false});
  row::one_worker = true;
  nopal_test::run_in(s, w.run);
  row::one_worker = false;
  return s.resident_stack_pages();
}

struct most {
  std::size_t pages;
  std::size_t stacks;
};

/// The most pages and stacks in use while the workload runs: some times, and then again until each
/// worker has had a stack, which on few CPUs is a matter of luck.
most most_of(const workload& w, unsigned workers, reclaim_policy policy) {
  constexpr int least_runs = 3, most_runs = small ? least_runs : 1000;
  const std::size_t stacks = w.in_row != 0 ? 2 : workers;
  row::most_overtaken = 0;
  most_stack_pages pages;
  owned_scheduler s({.workers = workers,
                     .reclaim = policy,
                     .seed = nopal_test::seed_or(workers),
                     .caller_works = false});
  const nopal_test::watchdog dog(60s, w.name, nopal_test::seed_or(workers),
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
  pages.count_of(&s);
  for (int i = 0; i < least_runs || (i < most_runs && s.stats().peak_stacks_in_use < stacks); ++i)
    nopal_test::run_in(s, w.run);
  const most found{pages.most(), s.stats().peak_stacks_in_use};
  pages.count_of(nullptr);
  return found;
}

class SpaceBound : public testing::TestWithParam<unsigned> {};

void expect_within(std::size_t bound, const workload& w, unsigned workers, reclaim_policy policy,
                   const char* name) {
  const most found = most_of(w, workers, policy);
  std::cout << w.name << ", " << name << ": P = " << workers << ": at most " << found.pages
            << " of " << bound << " pages in " << found.stacks << " stacks\n";
  // Frames of sanitizers are larger by what they find there, and not the same in the serial run.
  if (nopal_test::with_sanitizer) return;
  if (w.in_row == 0) {
    EXPECT_GE(found.stacks, workers) << w.name << ": with fewer it would show nothing";
  } else {
    EXPECT_GE(row::most_overtaken, w.in_row / 2) << w.name << ": else it would show nothing";
  }
  EXPECT_LE(found.pages, bound) << w.name << ", " << name;
}

TEST_P(SpaceBound, IsKept) {
  const unsigned p = GetParam();
  // So that thieves come between the forks. What delays take of a stack is in S_1, too.
  const nopal_test::random_delays delays(nopal_test::seed_or(p));
  for (const workload& w : workloads()) {
    const std::size_t s1 = serial_pages(w);
    const std::size_t bound = p * (s1 + w.depth + pages_of_nopal);
    expect_within(bound, w, p, reclaim_policy::dontneed, "dontneed");
    // Two stacks for each worker may have been deep: a spare, and one of which that is not known
    // yet.
    expect_within(bound + 2 * p * s1, w, p, reclaim_policy::adaptive, "adaptive");
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, SpaceBound, testing::Values(2, 4, 8),
                         testing::PrintToStringParamName());

// Each guest adds a leaf, so the bound is that of as many workers more. The guests' own stacks are
// those of their threads.
TEST(SpaceBoundOfGuests, IsThatOfAsManyWorkersMore) {
  constexpr unsigned p = 3, guests = 2;
  const nopal_test::random_delays delays(nopal_test::seed_or(p));
  for (const workload& w : workloads()) {
    if (w.in_row != 0) continue;  // two guests would share the pieces of a row
    const std::size_t bound = (p + guests) * (serial_pages(w) + w.depth + pages_of_nopal);
    most_stack_pages pages;
    owned_scheduler s({.workers = p, .reclaim = reclaim_policy::dontneed});
    const nopal_test::watchdog dog(60s, w.name, nopal_test::seed_or(p));
    pages.count_of(&s);
    std::vector<std::jthread> threads;
    for (unsigned g = 0; g < guests; ++g)
      threads.emplace_back([&] {
        for (int i = 0; i < 3 || s.stats().total.steals == 0; ++i) nopal_test::run_in(s, w.run);
      });
    threads.clear();
    std::cout << w.name << ": P = " << p << ", " << guests << " guests: at most " << pages.most()
              << " of " << bound << " pages\n";
    if (!nopal_test::with_sanitizer) {
      EXPECT_LE(pages.most(), bound) << w.name;
    }
    EXPECT_GE(s.stats().total.steals, 1U) << w.name << ": without it would show nothing";
    pages.count_of(nullptr);
  }
}

}  // namespace
