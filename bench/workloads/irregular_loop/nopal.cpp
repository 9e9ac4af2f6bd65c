// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

// Closures fork in pairs, so a loop becomes a tree over its range.
template <std::uint64_t Grain>
void range_invoke(std::uint64_t* numbers, std::uint64_t first, std::uint64_t last) {
  if (last - first <= Grain) {
    for (std::uint64_t i = first; i < last; ++i) {
      irregular_child(numbers, i);
    }
    return;
  }
  const std::uint64_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([=] { range_invoke<Grain>(numbers, first, middle); },
                         [=] { range_invoke<Grain>(numbers, middle, last); });
}

template <std::uint64_t Grain>
void loop_invoke(std::uint64_t* numbers, std::uint64_t n) {
  range_invoke<Grain>(numbers, 0, n);
}

// Beside the loops of other libraries, which do not fork for each child either: some 20
// microseconds to a fork.
constexpr std::uint64_t usual_grain = 128;

NOPAL_FORKS void loop_frame(std::uint64_t* numbers, std::uint64_t n) {
  nopal::fork_frame frame;
  for (std::uint64_t i = 0; i < n; ++i) {
    frame.fork(irregular_child, numbers, i);
  }
  frame.join();
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_invoke<1>); }) &&
    enroll<irregular_loop_problem, nopal_session>(
        "for",
        [](auto& session, auto& p) { run_irregular_loop(session, p, loop_invoke<usual_grain>); }) &&
    enroll<irregular_loop_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_frame); });

}  // namespace
}  // namespace nopal_bench
