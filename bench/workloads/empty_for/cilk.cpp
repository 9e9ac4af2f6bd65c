// SPDX-License-Identifier: Apache-2.0
#include "empty_for.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

void for_each_spawn(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  cilk_scope {
    cilk_spawn for_each_spawn(first, middle);
    for_each_spawn(middle, last);
  }
}

// The grain splits the loop down to single bodies; without it, Cilk would run many as one task.
void for_each(std::uint8_t* first, std::uint8_t* last) {
#pragma cilk grainsize 1
  cilk_for (std::uint8_t* mark = first; mark < last; ++mark) {
    empty_body(*mark);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<empty_for_problem, opencilk_session>(
        "", [](auto& session, auto& p) { run_empty_for(session, p, for_each_spawn); }) &&
    enroll<empty_for_problem, opencilk_session>(
        "for", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
