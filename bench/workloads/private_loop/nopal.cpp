// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "private_loop.hpp"

namespace nopal_bench {
namespace {

// Closures fork in pairs, so a fork for each child becomes a tree over the range.
void loop_invoke(std::uint32_t* numbers, std::uint64_t first, std::uint64_t last) {
  if (last - first <= 1) {
    if (first != last) {
      private_child(numbers, first);
    }
    return;
  }
  const std::uint64_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([=] { loop_invoke(numbers, first, middle); },
                         [=] { loop_invoke(numbers, middle, last); });
}

void loop_for(std::uint32_t* numbers, std::uint64_t n) {
  nopal::for_each(std::uint64_t{0}, n, [=](std::uint64_t i) { private_child(numbers, i); });
}

[[maybe_unused]] const bool enrolled =
    enroll<private_loop_problem, nopal_session>(
        "invoke",
        [](auto& session, auto& p) {
          run_private_loop(session, p, [](std::uint32_t* numbers, std::uint64_t n) {
            loop_invoke(numbers, 0, n);
          });
        }) &&
    enroll<private_loop_problem, nopal_session>(
        "for", [](auto& session, auto& p) { run_private_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
