// SPDX-License-Identifier: Apache-2.0
// A stolen closure begins with the floating-point control words with which the strand that forked
// it began or last went on, however it comes to another worker.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal_test::until;

/// What the hardware does, not what the library says.
bool rounds_up() {
  const volatile double one = 1;
  const volatile double tiny = 0x1p-60;
  return one + tiny > 1;
}

/// Makes the thread round up, and what it runs by a runtime.
struct rounding_up {
  rounding_up() { std::fesetround(FE_UPWARD); }
  ~rounding_up() { std::fesetround(FE_TONEAREST); }
  rounding_up(const rounding_up&) = delete;
  rounding_up& operator=(const rounding_up&) = delete;
};

/// Runs a function that forks, in a strand which rounds up from its beginning. Returns what the
/// function has said by its argument: whether what was stolen from it rounds up.
template <class F>
bool rounds_up_when_stolen(nopal::runtime& r, F f) {
  std::atomic<bool> up{false};
  const rounding_up here;
  r.run([&] { f(up); });
  return up;
}

/// Forks, and waits until the fork's continuation has been stolen.
void fork_and_wait(std::atomic<bool>& up) {
  std::atomic<bool> stolen{false};
  nopal::parallel_invoke([&] { until(stolen); },
                         [&] {
                           up = rounds_up() && std::fegetround() == FE_UPWARD;
                           stolen = true;
                         });
}

TEST(ControlWords, AStolenClosureHasThoseOfItsFork) {
  nopal::runtime r({.workers = 2});
  EXPECT_TRUE(rounds_up_when_stolen(r, fork_and_wait));
}

TEST(ControlWords, AndSoWithExceptionsCaught) {
  nopal::runtime r({.workers = 2});
  EXPECT_TRUE(rounds_up_when_stolen(r, [](std::atomic<bool>& up) {
    try {
      throw 1;
    } catch (int) {
      fork_and_wait(up);
    }
  }));
}

TEST(ControlWords, AStolenRestOfARowHasThoseOfItsFork) {
  nopal::runtime r({.workers = 3});
  EXPECT_TRUE(rounds_up_when_stolen(r, [](std::atomic<bool>& up) {
    std::atomic<int> begun{0}, rounded_up{0};
    std::atomic<bool> both{false};
    const auto piece = [&] {
      rounded_up += static_cast<int>(rounds_up() && std::fegetround() == FE_UPWARD);
      if (++begun == 2) both = true;
      until(both);
    };
    nopal::parallel_invoke([&] { until(both); }, piece, piece);
    up = rounded_up == 2;
  }));
}

/// The strand leaves its worker before a thief comes, so what it has forked is handed over.
TEST(ControlWords, AClosureThatIsHandedOverHasThoseOfItsFork) {
  nopal::runtime r({.workers = 1});
  EXPECT_TRUE(rounds_up_when_stolen(r, [](std::atomic<bool>& up) {
    nopal::semaphore handed_over(0);
    nopal::parallel_invoke([&] { handed_over.acquire(); },
                           [&] {
                             up = rounds_up() && std::fegetround() == FE_UPWARD;
                             handed_over.release();
                           });
  }));
}

}  // namespace
