// SPDX-License-Identifier: Apache-2.0
// The serial elision of nopal/stop.hpp.
#include <gtest/gtest.h>

#include <chrono>
#include <nopal/nopal.hpp>
#include <nopal/stop.hpp>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <utility>

namespace {

using namespace std::chrono_literals;

TEST(SerialStop, ComesToTheFunctionAndNotBehindIt) {
  std::stop_source source;
  EXPECT_FALSE(nopal::stop_requested());
  const int result = nopal::with_stop(
      source.get_token(),
      [&](int x) {
        EXPECT_TRUE(nopal::current_stop_token().stop_possible());
        nopal::check_stop();
        source.request_stop();
        EXPECT_TRUE(nopal::stop_requested());
        EXPECT_THROW(nopal::check_stop(), nopal::stopped);
        EXPECT_FALSE(nopal::without_stop([] { return nopal::stop_requested(); }));
        EXPECT_TRUE(nopal::with_stop({}, [] { return nopal::stop_requested(); }));
        return x + 1;
      },
      41);
  EXPECT_EQ(result, 42);
  EXPECT_FALSE(nopal::stop_requested());
}

TEST(SerialStop, EndsAFoldAtTheNextBlock) {
  std::stop_source source;
  int last = 0;
  const auto fold = [&] {
    return nopal::fold(
        0, 10000, 0, [](int a, int b) { return a + b; },
        [&](int i) {
          if (i == 10) source.request_stop();
          return last = i;
        });
  };
  EXPECT_THROW(nopal::with_stop(source.get_token(), fold), nopal::stopped);
  EXPECT_LT(last, 10000 / 100);
}

TEST(SerialStop, ADeadlineSaysThatItWasOne) {
  const auto spin = [] {
    for (;;) nopal::check_stop();
  };
  try {
    nopal::with_deadline(2ms, spin);
    ADD_FAILURE();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::timed_out);
  }
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { nopal::with_deadline(0ms, spin); }),
               nopal::stopped);
  EXPECT_EQ(nopal::with_deadline(1h, [] { return 1; }), 1);
}

TEST(SerialStop, TheFirstThatReturnsIsTheResult) {
  EXPECT_EQ(nopal::first_of([]() -> int { throw std::runtime_error("no"); }, [] { return 2L; },
                            []() -> int {
                              ADD_FAILURE();
                              return 3;
                            }),
            2);
  EXPECT_THROW(nopal::first_of([] { throw nopal::stopped("by itself"); },
                               [] { throw std::runtime_error("no"); }),
               std::runtime_error);
}

TEST(SerialStop, AnErrorStopsTheOthers) {
  EXPECT_THROW(nopal::any_error_stops([] { throw std::runtime_error("no"); }, [] { FAIL(); }),
               std::runtime_error);
  const auto [a, b] = nopal::any_error_stops([] { return 1; }, [] { return 2; });
  EXPECT_EQ(a + b, 3);
}

}  // namespace
