// SPDX-License-Identifier: Apache-2.0
// Many closures that share one join: each is stolen from, and thieves are stolen from by thieves.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::runtime;
using nopal_test::until;

constexpr std::size_t many = 10;

/// The closures of a row: each runs `body(i)`, which may wait until the next has begun.
class closures_in_row {
 public:
  /// The next can only begin on another worker.
  void overtake(std::size_t i) {
    begun_[i] = true;
    if (i + 1 < many) until(begun_[i + 1]);
  }

  // Not templates: compilers take their time over so many closures.
  static void run(const std::function<void(std::size_t)>& body) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      nopal::parallel_invoke([&] { body(I); }...);
    }(std::make_index_sequence<many>{});
  }

  static std::vector<std::size_t> run_returning(
      const std::function<std::shared_ptr<std::size_t>(std::size_t)>& body) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto results = nopal::parallel_invoke([&] { return body(I); }...);
      return std::vector{*std::get<I>(results)...};
    }(std::make_index_sequence<many>{});
  }

 private:
  std::array<std::atomic<bool>, many> begun_{};
};

TEST(ClosuresInRow, AThiefKeepsNoStackForThoseThatOvertakeIt) {
  for (const bool caller_works : {false, true}) {
    for (const unsigned workers : {2U, 3U, 8U}) {
      runtime r({.workers = workers, .caller_works = caller_works});
      r.run([] {
        closures_in_row row;
        closures_in_row::run([&](std::size_t i) { row.overtake(i); });
      });
      // The owner's, and one for each worker.
      EXPECT_LE(r.stats().peak_stacks_in_use, workers + 1);
    }
  }
}

TEST(ClosuresInRow, ResultsComeInTheirOrder) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 3, .caller_works = caller_works});
    for (int round = 0; round < 20; ++round) {
      const auto results = r.run([] {
        closures_in_row row;
        return closures_in_row::run_returning([&](std::size_t i) {
          row.overtake(i);
          return std::make_shared<std::size_t>(i);
        });
      });
      for (std::size_t i = 0; i < many; ++i) EXPECT_EQ(results[i], i);
    }
  }
}

/// What comes out of a row in which all from number `first` on throw, after each has been
/// overtaken.
int thrown_from(runtime& r, std::size_t first) {
  return r.run([first] {
    closures_in_row row;
    try {
      closures_in_row::run([&](std::size_t i) {
        row.overtake(i);
        if (i >= first) throw static_cast<int>(i);
      });
    } catch (int which) {
      return which;
    }
    return -1;
  });
}

TEST(ClosuresInRow, TheSeriallyFirstExceptionWins) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 3, .caller_works = caller_works});
    for (std::size_t first = 0; first < many; ++first)
      EXPECT_EQ(thrown_from(r, first), static_cast<int>(first));
  }
}

// The owner keeps one of two workers busy, so the other runs the rest, and takes each closure back.
TEST(ClosuresInRow, AnExceptionThatNobodyOvertakesComesOut) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (std::size_t last = 1; last < many; ++last) {
      std::atomic<std::size_t> ran{0};
      std::atomic<bool> throwing{false};
      const auto body = [&](std::size_t i) {
        if (i == 0) until(throwing);
        ++ran;
        if (i != last) return;
        throwing = true;
        throw 1;
      };
      EXPECT_THROW(r.run([&] { closures_in_row::run(body); }), int);
      EXPECT_GT(ran, last);
    }
  }
}

TEST(ClosuresInRow, ReducersHaveTheSerialOrder) {
  for (const bool caller_works : {false, true}) {
    std::vector<std::size_t> expected(many);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    runtime r({.workers = 3, .caller_works = caller_works});
    for (int round = 0; round < 20; ++round) {
      const auto all = r.run([] {
        nopal::reducer<nopal::monoid::vector<std::size_t>> numbers;
        closures_in_row row;
        closures_in_row::run([&](std::size_t i) {
          row.overtake(i);
          numbers->push_back(i);
        });
        return *numbers;
      });
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(ClosuresInRow, ReducersHaveWhatCameBeforeTheException) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 3, .caller_works = caller_works});
    for (std::size_t first = 0; first < many; ++first) {
      const auto all = r.run([first] {
        nopal::reducer<nopal::monoid::vector<std::size_t>> numbers;
        closures_in_row row;
        try {
          closures_in_row::run([&](std::size_t i) {
            row.overtake(i);
            numbers->push_back(i);
            if (i >= first) throw 1;
          });
        } catch (int) {
        }
        return *numbers;
      });
      std::vector<std::size_t> expected(first + 1);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(ClosuresInRow, ThievesFindTheCaughtExceptionOfTheOwner) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 3, .caller_works = caller_works});
    std::atomic<unsigned> wrong{0};
    r.run([&] {
      try {
        throw 7;
      } catch (int) {
        closures_in_row row;
        closures_in_row::run([&](std::size_t i) {
          row.overtake(i);
          if (std::current_exception() == nullptr || std::uncaught_exceptions() != 0) ++wrong;
        });
      }
    });
    EXPECT_EQ(wrong, 0U);
  }
}

TEST(ClosuresInRow, FromAThreadThatIsNoWorker) {
  std::atomic<std::size_t> sum{0};
  closures_in_row::run([&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, many * (many - 1) / 2);
}

}  // namespace
