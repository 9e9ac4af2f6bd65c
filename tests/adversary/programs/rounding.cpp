// SPDX-License-Identifier: Apache-2.0
// The floating-point rounding mode belongs to the strand: it is the same before and after a fork,
// in the child, and after a join, on whatever thread.
#include <array>
#include <cfenv>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

/// What the hardware does, not what the library says.
bool rounds_up() {
  const volatile double one = 1;
  const volatile double tiny = 0x1p-60;
  return one + tiny > 1;
}

bool rounds_up_slowly() {
  preempt();
  return rounds_up();
}

void sets_its_own(int mode) {
  std::fesetround(mode);
  preempt();
  check(rounds_up() == (mode == FE_UPWARD));
  check(std::fegetround() == mode);
}

NOPAL_FORKS void over_forks() {
  std::fesetround(FE_UPWARD);
  std::array<bool, 6> a{};
  nopal::fork_frame frame;
  for (bool& up : a) {
    frame.fork(&up, rounds_up_slowly);
    check(rounds_up() && std::fegetround() == FE_UPWARD);
  }
  frame.join();
  check(rounds_up() && std::fegetround() == FE_UPWARD);
  for (const bool up : a) check(up);
  std::fesetround(FE_TONEAREST);
}

#if defined(__x86_64__)
NOPAL_FORKS void with_masks() {
  std::fesetround(FE_DOWNWARD);
  nopal::fork_frame frame;
  for (int i = 0; i < 6; ++i) {
    const int unmasked = i % 2 == 0 ? FE_DIVBYZERO : FE_OVERFLOW;
    fedisableexcept(FE_ALL_EXCEPT);
    feenableexcept(unmasked);
    frame.fork(preempt);
    check(fegetexcept() == unmasked && std::fegetround() == FE_DOWNWARD);
  }
  frame.join();
  check(fegetexcept() == FE_OVERFLOW && std::fegetround() == FE_DOWNWARD);
  fedisableexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TONEAREST);
}
#endif

// A closure begins with the mode of when the strand began (docs/reference.md).
// What it sets is its own.
void over_closures() {
  std::fesetround(FE_UPWARD);
  for (int i = 0; i < 4; ++i) {
    nopal::parallel_invoke([] { sets_its_own(FE_UPWARD); }, [] { preempt(); },
                           [] { sets_its_own(FE_UPWARD); });
    check(rounds_up() && std::fegetround() == FE_UPWARD);
  }
  std::fesetround(FE_TONEAREST);
}

// Each strand has its own: what one that was stolen sets does not reach the others.
NOPAL_FORKS void of_strands() {
  nopal::fork_frame frame;
  for (int i = 0; i < 6; ++i) {
    frame.fork([i] {
      nopal::parallel_invoke([] {}, [] {});
      const int before = std::fegetround();
      sets_its_own(i % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
      std::fesetround(before);
    });
    check(std::fegetround() == FE_TONEAREST && !rounds_up());
  }
  frame.join();
  check(std::fegetround() == FE_TONEAREST && !rounds_up());
}

}  // namespace

NOPAL_PROGRAM(rounding_over_forks) { over_forks(); }
#if defined(__x86_64__)
NOPAL_PROGRAM(rounding_and_masks) { with_masks(); }
#endif
NOPAL_PROGRAM(rounding_over_closures) { over_closures(); }
NOPAL_PROGRAM(rounding_of_strands) { of_strands(); }
