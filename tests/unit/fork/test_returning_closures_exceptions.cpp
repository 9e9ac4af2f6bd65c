// SPDX-License-Identifier: Apache-2.0
// parallel_invoke of closures of which some return something and others throw: each result is
// destroyed once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "nopal/nopal.hpp"
#include "support/counted.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::parallel_invoke;
using nopal::runtime;
using nopal_test::counted;
using nopal_test::everywhere;
using nopal_test::until;

int fib(int n) {
  if (n < 2) return n;
  auto [a, b] = parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

/// What becomes of two closures, each of which returns or throws; where they are stolen, the first
/// ends before or after the second.
struct course {
  bool first_throws, second_throws;
  enum { nothing_stolen, first_ends_before, first_ends_after } steal;
};

void follow(const course& c) {
  std::atomic<bool> stolen{false};
  std::atomic<bool> first_ended{false};
  std::atomic<bool> second_ended{false};
  bool second_ran = false;
  const auto a_moment = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  int caught = 0;
  try {
    auto [a, b] = parallel_invoke(
        [&] {
          if (c.steal != course::nothing_stolen) until(stolen);
          if (c.steal == course::first_ends_after) {
            until(second_ended);
            a_moment();  // it is to arrive
          }
          first_ended = true;
          if (c.first_throws) throw 1;
          return counted(10);
        },
        [&] {
          second_ran = true;
          stolen = true;
          if (c.steal == course::first_ends_before) {
            until(first_ended);
            a_moment();  // the first is to wait for this
          }
          second_ended = true;
          if (c.second_throws) throw 2;
          return counted(20);
        });
    EXPECT_EQ(a.value(), 10);
    EXPECT_EQ(b.value(), 20);
    EXPECT_EQ(counted::alive, 2);
  } catch (int which) {
    caught = which;
    EXPECT_EQ(counted::alive, 0);
  }
  EXPECT_EQ(caught, c.first_throws ? 1 : c.second_throws ? 2 : 0);
  EXPECT_EQ(second_ran, !c.first_throws || c.steal != course::nothing_stolen);
  EXPECT_EQ(counted::alive, 0);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_EQ(fib(6), 8) << "the worker's deque is as it was";
}

class ThrowingCourse : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  void TearDown() override { EXPECT_EQ(counted::alive, 0); }
  void follow_on(unsigned workers, decltype(course::steal) steal) {
    const course c{std::get<0>(GetParam()), std::get<1>(GetParam()), steal};
    runtime r({.workers = workers});
    r.run([&] { follow(c); });
  }
};

TEST_P(ThrowingCourse, NothingIsStolen) { follow_on(1, course::nothing_stolen); }
TEST_P(ThrowingCourse, TheFirstEndsBeforeTheSecondThatIsStolen) {
  follow_on(2, course::first_ends_before);
}
TEST_P(ThrowingCourse, TheFirstEndsAfterTheSecondThatIsStolen) {
  follow_on(2, course::first_ends_after);
}

INSTANTIATE_TEST_SUITE_P(All, ThrowingCourse, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "FirstThrows"
                                                                      : "FirstReturns") +
                                  (std::get<1>(test.param) ? "SecondThrows" : "SecondReturns");
                         });

TEST(ReturningClosuresThrow, TheMiddleOfThreeThrows) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) {
      const auto give = [] { return counted(1); };
      EXPECT_THROW(parallel_invoke(give, []() -> counted { throw 2; }, give), int);
      EXPECT_EQ(counted::alive, 0);
    }
  });
}

TEST(ReturningClosuresThrow, TheMiddleOfThreeThrowsWhereTheLastIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      for (int i = 0; i < 20; ++i) {
        std::atomic<bool> stolen{false};
        const auto middle = [&]() -> counted {
          until(stolen);
          throw 2;
        };
        const auto last = [&] {
          stolen = true;
          return counted(3);
        };
        EXPECT_THROW(parallel_invoke([] { return counted(1); }, middle, last), int);
        EXPECT_EQ(counted::alive, 0);
      }
    });
  }
}

/// Each move of a result throws once, of the first closure's as of the others'.
template <class F>
void throw_at_each_move(const F& invoke) {
  bool threw = true;
  int moves = 0;
  for (; threw && moves < 100; ++moves) {
    counted::moves_until_throw = moves;
    try {
      invoke();
      threw = false;
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "moved");
    }
    counted::moves_until_throw = -1;
    EXPECT_EQ(counted::alive, 0) << "where move number " << moves << " throws";
    EXPECT_EQ(fib(6), 8) << "the worker's deque is as it was";
  }
  EXPECT_FALSE(threw);
  EXPECT_GT(moves, 1);
}

TEST(ReturningClosuresThrow, TheMoveOfAResultThrows) {
  everywhere([] {
    const auto give = [] { return counted(1); };
    throw_at_each_move([&] { parallel_invoke(give); });
    throw_at_each_move([&] { parallel_invoke(give, give); });
    throw_at_each_move([&] { parallel_invoke(give, give, give); });
  });
}

TEST(ReturningClosuresThrow, TheMoveOfAResultThrowsWhereTheSecondIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      throw_at_each_move([] {
        std::atomic<bool> stolen{false};
        const auto first = [&] {
          until(stolen);
          return counted(1);
        };
        const auto second = [&] {
          stolen = true;
          return counted(2);
        };
        parallel_invoke(first, second);
      });
    });
  }
}

/// A result that nobody wants forks where it is destroyed, in the handler of what has been thrown.
struct forks_when_dropped {
  std::atomic<int>* count;
  explicit forks_when_dropped(std::atomic<int>& c) : count(&c) {}
  forks_when_dropped(forks_when_dropped&& o) noexcept : count(std::exchange(o.count, nullptr)) {}
  ~forks_when_dropped() {
    if (count == nullptr) return;
    const std::exception_ptr thrown = std::current_exception();
    EXPECT_NE(thrown, nullptr);
    auto [one, two] = parallel_invoke([] { return 1; }, [] { return 2; });
    *count += one + two;
    EXPECT_EQ(std::current_exception(), thrown);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  }
};

TEST(ReturningClosuresThrow, AResultThatIsDroppedForks) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run([] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<bool> stolen{false};
        std::atomic<int> count{0};
        const auto first = [&]() -> int {
          until(stolen);
          throw 1;
        };
        const auto second = [&] {
          stolen = true;
          return forks_when_dropped(count);
        };
        EXPECT_THROW(parallel_invoke(first, second), int);
        EXPECT_EQ(count, 3);
      }
    });
  }
}

}  // namespace
