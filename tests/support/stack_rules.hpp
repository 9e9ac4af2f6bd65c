// SPDX-License-Identifier: Apache-2.0
// For tests of frames that wait by rules (docs/stacks.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <thread>

#include "nopal/nopal.hpp"
#include "runtime/most_stack_pages.hpp"
#include "support/scheduler_run.hpp"
#include "variants/stacks/waiting_frame.hpp"

namespace nopal::stacks {

inline void PrintTo(rule r, std::ostream* out) {  // the name that gtest looks for
  constexpr std::array names{"new_stack", "unrestricted", "deeper",
                             "limited",   "leapfrog",     "recycle"};
  *out << names[static_cast<std::size_t>(r)];
}

}  // namespace nopal::stacks

namespace nopal_test {

constexpr std::size_t large_stack = std::size_t{64} << 20;
constexpr std::size_t no_limit = SIZE_MAX;

/// While it lives, frames wait by this rule.
class by_rule {
 public:
  explicit by_rule(nopal::stacks::rule r, std::size_t most_bytes = no_limit)
      : before_(nopal::stacks::chosen) {
    nopal::stacks::chosen = {r, most_bytes};
  }
  ~by_rule() { nopal::stacks::chosen = before_; }
  by_rule(const by_rule&) = delete;
  by_rule& operator=(const by_rule&) = delete;

 private:
  nopal::stacks::strategy before_;
};

template <class Condition>
void until(Condition c) {
  while (!c()) std::this_thread::yield();
}

/// Calls f with that many pages of locals, all of them touched.
template <class F>
[[gnu::noinline]] void go_deep(F&& f) {
  std::array<char, std::size_t{32} * 4096> pages;  // NOLINT: not to be initialized
  for (std::size_t i = 0; i < pages.size(); i += 4096) pages[i] = 1;
  asm volatile("" : : "r"(pages.data()) : "memory");  // clang would leave out the array
  f();
  asm volatile("" : : "r"(pages.data()) : "memory");
}

struct pages_and_stacks {
  std::size_t pages;
  std::size_t stacks;
};

/// The most pages of stacks, and the most stacks in use, of a scheduler that runs f.
template <class F>
pages_and_stacks most_while(unsigned workers, nopal::reclaim_policy policy, F f) {
  nopal::detail::most_stack_pages pages;
  nopal::detail::owned_scheduler s(
      {.workers = workers, .stack_bytes = large_stack, .reclaim = policy});
  pages.count_of(&s);
  run_in(s, f);
  const pages_and_stacks found{pages.most(), s.stats().peak_stacks_in_use};
  pages.count_of(nullptr);
  return found;
}

}  // namespace nopal_test
