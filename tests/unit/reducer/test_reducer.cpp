// SPDX-License-Identifier: Apache-2.0
// A reducer as a variable: its views, its monoids, its lifetime.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/reducer.hpp"
#include "nopal/reducer/c_reducer.h"
#include "support/build.hpp"

namespace {

using nopal::reducer;
namespace monoid = nopal::monoid;

/// Counts its identities.
struct counting {
  static std::atomic<unsigned> made;
  using value_type = int;
  static int identity() {
    ++made;
    return 0;
  }
  static void reduce(int& left, int& right) { left += right; }
};
std::atomic<unsigned> counting::made{0};

/// A closure that has certainly been stolen when the other one goes on.
template <class F, class G>
void run_at_the_same_time(F f, G g) {
  std::atomic<bool> begun{false};
  nopal::parallel_invoke(
      [&] {
        while (!begun.load(std::memory_order_acquire)) std::this_thread::yield();
        f();
      },
      [&] {
        begun.store(true, std::memory_order_release);
        g();
      });
}

TEST(Reducer, BeginsWithTheIdentityOrItsArguments) {
  reducer<monoid::add<long>> zero;
  reducer<monoid::add<long>> five(5L);
  reducer<monoid::vector<int>> three_ones(3U, 1);
  EXPECT_EQ(zero.get_value(), 0);
  EXPECT_EQ(five.get_value(), 5);
  EXPECT_EQ(*three_ones, (std::vector{1, 1, 1}));
}

TEST(Reducer, IsUpdatedByTheOperatorsOfItsView) {
  reducer<monoid::add<int>> sum;
  sum += 5;
  sum -= 2;
  ++sum;
  EXPECT_EQ(*sum, 4);
  reducer<monoid::bit_and<unsigned>> all;
  all &= 6U;
  all &= 3U;
  EXPECT_EQ(*all, 2U);
  reducer<monoid::bit_or<unsigned>> any;
  any |= 5U;
  EXPECT_EQ(*any, 5U);
  reducer<monoid::bit_xor<unsigned>> odd;
  odd ^= 5U;
  odd ^= 1U;
  EXPECT_EQ(*odd, 4U);
  reducer<monoid::multiply<int>> product;
  product *= 6;
  EXPECT_EQ(*product, 6);
}

TEST(Reducer, LeastAndLargest) {
  reducer<monoid::min<int>> least;
  reducer<monoid::max<double>> largest;
  EXPECT_EQ(*least, std::numeric_limits<int>::max());
  EXPECT_EQ(*largest, -std::numeric_limits<double>::infinity());
  for (const int i : {5, -3, 7}) {
    least.update(i);
    largest.update(i);
  }
  EXPECT_EQ(*least, -3);
  EXPECT_EQ(*largest, 7);
}

TEST(Reducer, AProgramWithoutAStealMakesNoView) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    counting::made = 0;
    reducer<counting> sum;
    EXPECT_EQ(counting::made, 1U);
    one.run([&] {
      nopal::parallel_invoke([&] { sum += 1; }, [&] { sum += 2; });
      EXPECT_EQ(*sum, 3);
    });
    EXPECT_EQ(*sum, 3);
    EXPECT_EQ(counting::made, 1U);
  }
}

TEST(Reducer, AStealMakesOneViewForEachReducerThatIsUsed) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime two({.workers = 2, .caller_works = caller_works});
    counting::made = 0;
    reducer<counting> used(10);
    reducer<counting> unused(10);
    two.run([&] {
      run_at_the_same_time([&] { used += 1; },
                           [&] {
                             EXPECT_EQ(*used, 0);
                             used += 2;
                             EXPECT_EQ(*used, 2);
                           });
      EXPECT_EQ(*used, 13);
    });
    EXPECT_EQ(counting::made, 1U);
    EXPECT_EQ(*used, 13);
    EXPECT_EQ(*unused, 10);
  }
}

TEST(Reducer, ManyInOneStrand) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime two({.workers = 2, .caller_works = caller_works});
    std::vector<std::unique_ptr<reducer<monoid::string>>> all;
    for (unsigned i = 0; i < 1000; ++i)
      all.push_back(std::make_unique<reducer<monoid::string>>(std::to_string(i)));
    two.run([&] {
      run_at_the_same_time(
          [&] {
            for (auto& r : all) **r += 'a';
          },
          [&] {
            for (auto& r : all) **r += 'b';
          });
    });
    for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(**all[i], std::to_string(i) + "ab");
  }
}

TEST(Reducer, AViewThatCannotBeMadeChangesNothing) {
  struct failing {
    using value_type = int;
    static int identity() { throw std::runtime_error("no identity"); }
    static void reduce(int& left, int& right) { left += right; }
  };
  nopal::runtime two({.workers = 2});
  reducer<failing> sum(1);
  two.run([&] {
    run_at_the_same_time([&] { sum += 1; },
                         [&] {
                           EXPECT_THROW(sum += 1, std::runtime_error);
                           EXPECT_THROW(sum += 1, std::runtime_error);
                         });
  });
  EXPECT_EQ(*sum, 2);
}

TEST(Reducer, ListsAndStreamsKeepTheSerialOrder) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime two({.workers = 2, .caller_works = caller_works});
    std::ostringstream text;
    reducer<monoid::ostream> out(text);
    reducer<monoid::list<std::string>> names;
    two.run([&] {
      *out << 1;
      run_at_the_same_time(
          [&] {
            *out << " and " << 2;
            names->emplace_back("a");
          },
          [&] {
            *out << " and " << 3;
            names->emplace_back("b");
          });
      *out << '.';
    });
    EXPECT_EQ(text.str(), "1 and 2 and 3.");
    EXPECT_EQ(*names, (std::list<std::string>{"a", "b"}));
  }
}

TEST(Reducer, BelongsToACallAsToItsCaller) {
  nopal::runtime two({.workers = 2});
  nopal::runtime other({.workers = 2});
  reducer<monoid::string> text("0");
  two.run([&] {
    *text += '1';
    other.run([&] {
      *text += '2';
      run_at_the_same_time([&] { *text += '3'; }, [&] { *text += '4'; });
      nopal::blocking([&] { *text += '5'; });
    });
    *text += '6';
  });
  EXPECT_EQ(*text, "0123456");
}

TEST(Reducer, IsUsedByAThreadThatIsNoWorker) {
  reducer<monoid::add<int>> outside;
  outside += 1;
  nopal::parallel_invoke([&] { outside += 2; }, [&] { outside += 4; });
  EXPECT_EQ(*outside, 7);
}

#define SKIP_WHERE_NO_PROGRAM_STARTS_ANEW() \
  if (nopal_test::with_emulator) GTEST_SKIP() << "qemu-user starts no program of that processor"

TEST(ReducerDeathTest, MustBeJoinedBeforeItEnds) {
  SKIP_WHERE_NO_PROGRAM_STARTS_ANEW();
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ends_too_early = [] {
    nopal::runtime two({.workers = 2});
    auto sum = std::make_unique<reducer<monoid::add<int>>>();
    two.run([&] {
      std::atomic<bool> used{false};
      nopal::parallel_invoke(
          [&] {
            while (!used.load(std::memory_order_acquire)) std::this_thread::yield();
            sum.reset();
          },
          [&] {
            *sum += 1;
            used.store(true, std::memory_order_release);
          });
    });
  };
  EXPECT_DEATH(ends_too_early(), "a reducer has ended before");
  const auto ends_elsewhere = [] {
    nopal::runtime two({.workers = 2});
    auto sum = std::make_unique<reducer<monoid::add<int>>>();
    two.run([&] { run_at_the_same_time([] {}, [&] { sum.reset(); }); });
  };
  EXPECT_DEATH(ends_elsewhere(), "a reducer has ended before");
  EXPECT_DEATH(
      {
        reducer<monoid::add<int>> sum;
        std::thread([&] { sum += 1; }).join();
      },
      "a thread that nobody joins has updated it");
}

// --- what C calls ----------------------------------------------------------------------------

void zero(void* view) { *static_cast<int*>(view) = 0; }
void plus(void* left, void* right) { *static_cast<int*>(left) += *static_cast<int*>(right); }
constexpr nopal_reducer_type adds = {sizeof(int), zero, plus};

TEST(CReducer, IsAVariableWithViews) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime two({.workers = 2, .caller_works = caller_works});
    int sum = 5;
    nopal_reducer_register(&sum, &adds);
    EXPECT_EQ(nopal_reducer_lookup(&sum, &adds), &sum);
    const auto add = [&](int n) { *static_cast<int*>(nopal_reducer_lookup(&sum, &adds)) += n; };
    two.run([&] {
      run_at_the_same_time([&] { add(1); },
                           [&] {
                             EXPECT_NE(nopal_reducer_lookup(&sum, &adds), &sum);
                             add(2);
                           });
      add(4);
    });
    nopal_reducer_unregister(&sum);
    EXPECT_EQ(sum, 12);
  }
}

TEST(CReducerDeathTest, MustBeJoinedBeforeItEnds) {
  SKIP_WHERE_NO_PROGRAM_STARTS_ANEW();
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  int sum = 0;
  EXPECT_DEATH(nopal_reducer_unregister(&sum), "a reducer has ended before");
}

}  // namespace
