// SPDX-License-Identifier: Apache-2.0
// Pages of stacks that several processes touch, and give back, are counted at their most. For the
// heap's, huge pages are asked for.
// A program of its own, with events: they say when a page becomes one of a stack.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "nopal/mapped.hpp"
#include "nopal/parallel_invoke.hpp"
#include "runtime/most_stack_pages.hpp"

namespace {

constexpr unsigned workers = 4;

/// What is said to the kernel about the memory at an address, in two letters each (proc(5)).
std::string advice_for(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream mappings("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') inside = begin <= at && at < end;
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

/// The first test: after the first runtime all comes from its arena.
TEST(MappedPages, HugePagesAreAskedForLargeMemory) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "this kernel has no huge pages";
  const std::vector<char> before(std::size_t{64} << 20);
  EXPECT_NE(advice_for(before.data()).find(" hg "), std::string::npos);
  nopal::mapped::runtime four({.workers = workers});
  const std::string on_worker = four.run([] {
    const std::vector<char> within(std::size_t{64} << 20);
    return advice_for(within.data());
  });
  EXPECT_NE(on_worker.find(" hg "), std::string::npos) << on_worker;
}

constexpr std::size_t page = 4096;
constexpr std::size_t deep = 64;  // pages

/// Frames of nopal and of the functions here, and a page for each strand that is not full.
constexpr std::size_t few_pages = 4 * workers;

NOPAL_NOINLINE void touch(std::atomic<int>& missing, std::array<pid_t, 3>& process, std::size_t i) {
  std::array<char, deep * page> frame;
  for (std::size_t at = 0; at < frame.size(); at += page) frame[at] = 1;
  asm volatile("" : : "r"(frame.data()) : "memory");  // clang would leave out the array
  process[i] = getpid();
  // Nothing goes back before all three have touched theirs.
  --missing;
  while (missing.load() > 0) sched_yield();
}

void touch_on_three(std::array<pid_t, 3>& process) {
  std::atomic<int> missing{3};
  nopal::parallel_invoke([&] { touch(missing, process, 0); }, [&] { touch(missing, process, 1); },
                         [&] { touch(missing, process, 2); });
}

std::size_t pages_of(const void* r) {
  return static_cast<const nopal::mapped::runtime*>(r)->stacks().pages;
}

TEST(MappedPages, TheMostOfAllProcessesIsCounted) {
  nopal::detail::most_stack_pages counter;
  nopal::mapped::runtime four({.workers = workers, .reclaim = nopal::reclaim_policy::dontneed});
  for (int i = 0; i < 10; ++i) {
    counter.count_by(pages_of, &four);
    std::array<pid_t, 3> process{};
    four.run([&] { touch_on_three(process); });
    EXPECT_NE(process[0], process[1]);
    EXPECT_NE(process[0], process[2]);
    EXPECT_NE(process[1], process[2]);
    // What idle workers keep they give back before they sleep.
    while (four.stacks().pages > few_pages) usleep(100);
    EXPECT_GE(counter.most(), 3 * deep);
    EXPECT_LE(counter.most(), 3 * deep + few_pages);
  }
  counter.count_by(nullptr, nullptr);
}

}  // namespace
