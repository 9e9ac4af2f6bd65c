// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

void for_each_invoke(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  nopal::parallel_invoke([=] { for_each_invoke(first, middle); },
                         [=] { for_each_invoke(middle, last); });
}

NOPAL_FORKS void for_each_frame(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  nopal::fork_frame frame;
  frame.fork(for_each_frame, first, middle);
  for_each_frame(middle, last);
  frame.join();
}

// The grain splits the loop down to single bodies; without it, many would be one block.
void for_each(std::uint8_t* first, std::uint8_t* last) {
  nopal::for_each(nopal::grain{1}, first, last, empty_body);
}

[[maybe_unused]] const bool enrolled =
    enroll<empty_for_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_empty_for(session, p, for_each_invoke); }) &&
    enroll<empty_for_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_empty_for(session, p, for_each_frame); }) &&
    enroll<empty_for_problem, nopal_session>(
        "for", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
