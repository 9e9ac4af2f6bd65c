// SPDX-License-Identifier: Apache-2.0
// What converts to nopal::limits, and which moment it becomes.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <ratio>
#include <stop_token>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/io.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"
#include "wait/timers.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::limits;
using moment = limits::moment;
using clock = std::chrono::steady_clock;

template <class T>
constexpr bool converts = std::is_convertible_v<T, limits>;
static_assert(converts<std::stop_token> && converts<const std::stop_token&>);
static_assert(converts<moment> && converts<std::chrono::nanoseconds> &&
              converts<std::chrono::hours>);
static_assert(converts<std::chrono::duration<float, std::milli>>);
static_assert(converts<std::chrono::system_clock::time_point>);
static_assert(converts<std::chrono::time_point<clock, std::chrono::seconds>>);
static_assert(converts<std::chrono::sys_seconds> && converts<std::chrono::sys_days>);
static_assert(!converts<int> && !converts<double> && !converts<const char*> && !converts<bool>);
static_assert(!converts<std::stop_source> && !converts<std::error_code>);
static_assert(std::is_nothrow_default_constructible_v<limits>);
static_assert(std::is_copy_constructible_v<limits> && std::is_copy_assignable_v<limits>);
static_assert(std::is_same_v<nopal::io::limits, limits>);

/// A clock that counts days from another epoch, as std::chrono::utc_clock does seconds.
struct day_clock {
  using rep = double;
  using period = std::ratio<86400>;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<day_clock, duration>;
  static constexpr bool is_steady = false;
  static time_point now() {
    return time_point(std::chrono::system_clock::now().time_since_epoch() + duration(10'000));
  }
};

/// Whether a limit that was made from `time` between two looks at the clock is what it must be.
template <class Make>
testing::AssertionResult ends_in(clock::duration time, Make make,
                                 clock::duration tolerance = clock::duration::zero()) {
  const moment before = clock::now();
  const limits made = make();
  const moment after = clock::now();
  if (made.deadline >= before + time - tolerance && made.deadline <= after + time + tolerance)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << (made.deadline - before - time).count() << " ns from "
                                     << time.count() << " ns after the call";
}

limits passed(const limits& l) { return l; }

TEST(Limits, OfNothingHaveNoEnd) {
  for (const limits& l : {limits(), limits{}, passed({}), limits(moment::max())}) {
    EXPECT_EQ(l.deadline, moment::max());
    EXPECT_FALSE(l.stop.stop_possible());
  }
}

TEST(Limits, OfADurationCountFromNowOn) {
  EXPECT_TRUE(ends_in(10ms, [] { return limits(10ms); }));
  EXPECT_TRUE(ends_in(1h, [] { return passed(1h); }));
  EXPECT_TRUE(ends_in(0ns, [] { return passed(0ms); }));
  EXPECT_TRUE(
      ends_in(1500us, [] { return passed(std::chrono::duration<double, std::milli>(1.5)); }, 1ns));
  // What is less than a nanosecond is rounded up, so that a call never ends too early.
  using picoseconds = std::chrono::duration<long long, std::pico>;
  EXPECT_TRUE(ends_in(1ns, [] { return passed(picoseconds(1)); }));
  EXPECT_TRUE(ends_in(1s, [] { return passed(picoseconds(999'999'999'999)); }));
}

TEST(Limits, OfADurationInThePastEndNow) {
  EXPECT_TRUE(ends_in(0ns, [] { return passed(-1ns); }));
  EXPECT_TRUE(ends_in(0ns, [] { return passed(std::chrono::hours::min()); }));
  EXPECT_TRUE(ends_in(0ns, [] { return passed(std::chrono::nanoseconds::min()); }));
  EXPECT_TRUE(ends_in(0ns, [] { return passed(std::chrono::duration<double>(-1e300)); }));
}

TEST(Limits, ThatAreLongerThanTheClockCountsHaveNoEnd) {
  EXPECT_EQ(passed(std::chrono::hours::max()).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::nanoseconds::max()).deadline, moment::max());
  EXPECT_EQ(passed(moment::max() - clock::now()).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::years(300)).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::duration<double>(1e300)).deadline, moment::max());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(passed(std::chrono::duration<double>(infinity)).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::system_clock::time_point::max()).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::sys_days::max()).deadline, moment::max());
  EXPECT_EQ(passed(std::chrono::time_point<clock, std::chrono::hours>::max()).deadline,
            moment::max());
  EXPECT_EQ(passed(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)).deadline,
            moment::max());
}

TEST(Limits, OfADurationThatIsNoNumberEndNow) {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(ends_in(0ns, [] { return passed(std::chrono::duration<double>(nan)); }));
}

TEST(Limits, OfAMomentOfTheSteadyClockAreThatMoment) {
  const moment at = clock::now() + 10ms;
  EXPECT_EQ(passed(at).deadline, at);
  EXPECT_EQ(limits(at - 1h).deadline, at - 1h);
  EXPECT_EQ(limits(moment::min()).deadline, moment::min());
  const auto in_seconds = std::chrono::ceil<std::chrono::seconds>(at);
  // The clock is read twice: once to find how far away that is, and once to count from.
  const moment before = clock::now();
  const moment made = passed(in_seconds).deadline;
  const moment after = clock::now();
  EXPECT_GE(made, in_seconds - 1us);
  EXPECT_LE(made, in_seconds + (after - before) + 1us);
}

TEST(Limits, OfAMomentOfAnotherClockAreAsFarAway) {
  using std::chrono::system_clock;
  const auto tolerance = 50ms;  // the clocks are read one after the other
  EXPECT_TRUE(ends_in(10s, [] { return passed(system_clock::now() + 10s); }, tolerance));
  EXPECT_TRUE(ends_in(0s, [] { return passed(system_clock::now() - 10s); }, tolerance));
  EXPECT_TRUE(ends_in(0s, [] { return passed(system_clock::time_point()); }, tolerance));
  EXPECT_TRUE(ends_in(0s, [] { return passed(system_clock::time_point::min()); }, tolerance));
  EXPECT_TRUE(
      ends_in(48h, [] { return passed(day_clock::now() + std::chrono::days(2)); }, tolerance));
  EXPECT_TRUE(ends_in(0s, [] { return passed(day_clock::time_point::min()); }, tolerance));
}

TEST(Limits, OfAStopToken) {
  std::stop_source source;
  EXPECT_EQ(passed(source.get_token()).stop, source.get_token());
  EXPECT_EQ(passed(source.get_token()).deadline, moment::max());
  EXPECT_EQ(passed({source.get_token()}).stop, source.get_token());
  EXPECT_TRUE(ends_in(1s, [&] { return passed({source.get_token(), 1s}); }));
  const auto both = [&] {
    return limits{source.get_token(), std::chrono::system_clock::now() + 1h};
  };
  EXPECT_EQ(both().stop, source.get_token());
  EXPECT_TRUE(ends_in(1h, both, 50ms));
}

// What was written for the limits of io alone.
TEST(Limits, OfIoAreWrittenAsBefore) {
  std::stop_source source;
  const auto soon = clock::now() + 1ms;
  std::error_code error;
  nopal::io::sleep_for(1h, error, {source.get_token(), soon});
  EXPECT_EQ(error, std::errc::timed_out);
  nopal::io::sleep_for(1h, error, soon);
  EXPECT_EQ(error, std::errc::timed_out);
  nopal::io::sleep_for(1h, error, 1ms);
  EXPECT_EQ(error, std::errc::timed_out);
  nopal::io::limits l(source.get_token());
  l.deadline = soon;
  nopal::io::sleep_for(1h, error, l);
  EXPECT_EQ(error, std::errc::timed_out);
  const nopal::io::limits of_deadline(soon);
  EXPECT_THROW(nopal::io::sleep_for(1h, of_deadline), std::system_error);
  source.request_stop();
  nopal::io::sleep_for(1h, error, source.get_token());
  EXPECT_EQ(error, std::errc::operation_canceled);
  nopal::io::sleep_for(0s, error);
  EXPECT_FALSE(error);
}

TEST(Limits, AreErrorsThatNameTheWait) {
  using nopal::detail::decision;
  const auto said = [](unsigned number) {
    try {
      nopal::detail::throw_limit(number, "nopal::mutex: lock");
    } catch (const nopal::stopped& e) {
      EXPECT_EQ(number, decision::stopped);
      EXPECT_EQ(e.code(), std::errc::operation_canceled);
      return std::string(e.what());
    } catch (const std::system_error& e) {
      EXPECT_NE(number, decision::stopped);
      EXPECT_EQ(e.code(), nopal::detail::error_of_limit(number));
      return std::string(e.what());
    }
  };
  EXPECT_TRUE(said(decision::timed_out).starts_with("nopal::mutex: lock ended by its deadline"));
  EXPECT_TRUE(said(decision::stopped).starts_with("nopal::mutex: lock ended by a requested stop"));
  EXPECT_TRUE(said(decision::no_timer).starts_with("nopal::mutex: lock has a deadline, and there"));
  EXPECT_EQ(nopal::detail::error_of_limit(decision::timed_out), std::errc::timed_out);
  EXPECT_EQ(nopal::detail::error_of_limit(decision::stopped), std::errc::operation_canceled);
  EXPECT_EQ(nopal::detail::error_of_limit(decision::no_timer),
            std::errc::resource_unavailable_try_again);
}

}  // namespace
