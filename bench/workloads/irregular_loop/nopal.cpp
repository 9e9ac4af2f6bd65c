// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

// Closures fork in pairs, so a fork for each child becomes a tree over the range.
void range_invoke(std::uint64_t* numbers, std::uint64_t first, std::uint64_t last) {
  if (last - first <= 1) {
    if (first != last) {
      irregular_child(numbers, first);
    }
    return;
  }
  const std::uint64_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([=] { range_invoke(numbers, first, middle); },
                         [=] { range_invoke(numbers, middle, last); });
}

void loop_invoke(std::uint64_t* numbers, std::uint64_t n) { range_invoke(numbers, 0, n); }

void loop_for(std::uint64_t* numbers, std::uint64_t n) {
  nopal::for_each(std::uint64_t{0}, n, [=](std::uint64_t i) { irregular_child(numbers, i); });
}

NOPAL_FORKS void loop_frame(std::uint64_t* numbers, std::uint64_t n) {
  nopal::fork_frame frame;
  for (std::uint64_t i = 0; i < n; ++i) {
    frame.fork(irregular_child, numbers, i);
  }
  frame.join();
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_invoke); }) &&
    enroll<irregular_loop_problem, nopal_session>(
        "for", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_for); }) &&
    enroll<irregular_loop_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_frame); });

}  // namespace
}  // namespace nopal_bench
