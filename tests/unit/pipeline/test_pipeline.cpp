// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/pipeline.hpp"
#include "support/everywhere.hpp"

namespace {

namespace stage = nopal::stage;
using nopal_test::everywhere;

auto numbers(int n) {
  return [i = 0, n]() mutable -> std::optional<int> {
    if (i == n) return {};
    return i++;
  };
}

std::vector<int> first_numbers(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST(Pipeline, InOrder) {
  everywhere([] {
    for (const std::size_t most : {0U, 1U, 2U, 16U, 100U})
      for (const int n : {0, 1, 2, 1000}) {
        std::vector<std::string> out;
        nopal::pipeline(most, numbers(n), stage::parallel([](int i) { return 2L * i; }),
                        stage::in_order([](long i) { return std::to_string(i); }),
                        stage::in_order([&](std::string s) { out.push_back(std::move(s)); }));
        ASSERT_EQ(out.size(), static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], std::to_string(2 * i));
      }
  });
}

TEST(Pipeline, SerialInAnyOrder) {
  everywhere([] {
    std::vector<int> out;
    std::atomic<int> inside = 0;
    nopal::pipeline(8, numbers(2000), stage::serial([&](int i) {
                      EXPECT_EQ(++inside, 1);
                      out.push_back(i);
                      --inside;
                    }));
    std::ranges::sort(out);
    EXPECT_EQ(out, first_numbers(2000));
  });
}

TEST(Pipeline, NoMoreItemsThanAllowed) {
  everywhere([] {
    std::atomic<int> now = 0, most = 0;
    nopal::pipeline(
        3,
        [&, i = 0]() mutable -> std::optional<int> {
          const int begun = ++now;
          if (begun > most) most = begun;
          if (++i <= 200) return i;
          --now;
          return {};
        },
        stage::parallel([](int i) {
          nopal::io::sleep_for(std::chrono::microseconds(100));
          return i;
        }),
        stage::in_order([&](int) { --now; }));
    EXPECT_LE(most, 3);
#ifndef NOPAL_SERIAL
    EXPECT_EQ(most, 3);
#endif
    EXPECT_EQ(now, 0);
  });
}

// Each item waits for the next, which must then be on its way even if there is one worker.
TEST(Pipeline, ItemsMayWaitForEachOther) {
  everywhere([] {
    constexpr int n = 100;
    std::vector<nopal::flag> begun(n + 1);
    begun[n].set();
    std::vector<int> out;
    nopal::pipeline(2, numbers(n), stage::parallel([&](int i) {
                      begun[static_cast<std::size_t>(i)].set();
                      begun[static_cast<std::size_t>(i) + 1].wait();
                      return i;
                    }),
                    stage::serial([&](int i) { out.push_back(i); }));
    std::ranges::sort(out);
    EXPECT_EQ(out, first_numbers(n));
  });
}

TEST(Pipeline, FromAndToAChannel) {
  everywhere([] {
    nopal::channel<int> in(1), out(1);
    std::vector<int> got;
    nopal::parallel_invoke(
        [&] {
          nopal::pipeline(
              4, [&]() -> std::optional<int> { return in.receive(); },
              stage::parallel([](int i) { return i + 1; }),
              stage::in_order([&](int i) { out.send(i); }));
          out.close();
        },
        [&] {
          for (int i = 0; i < 500; ++i) in.send(i - 1);
          in.close();
        },
        [&] {
          for (const int i : out) got.push_back(i);
        });
    EXPECT_EQ(got, first_numbers(500));
  });
}

nopal::task<int> doubled(int i) { co_return 2 * i; }

TEST(Pipeline, TasksAndWhatCanOnlyBeMoved) {
  everywhere([] {
    long sum = 0;
    nopal::pipeline(
        5,
        [i = 0]() mutable -> nopal::task<std::optional<std::unique_ptr<int>>> {
          if (i == 100) co_return std::nullopt;
          co_return std::make_unique<int>(i++);
        },
        stage::parallel([](std::unique_ptr<int> p) { return doubled(*p); }),
        stage::serial([](int i) { return std::make_unique<int>(i); }),
        stage::in_order([&](const std::unique_ptr<int>& p) -> nopal::task<void> {
          sum += *p;
          co_return;
        }));
    EXPECT_EQ(sum, 9900);
    int calls = 0;
    nopal::pipeline(5, [&] { return ++calls < 10 ? std::optional(calls) : std::nullopt; });
    EXPECT_EQ(calls, 10);
  });
}

struct failure {
  int number;
};

TEST(Pipeline, TheFirstExceptionInOrder) {
  everywhere([] {
    for (int again = 0; again < 20; ++again) {
      std::vector<int> out;
      try {
        nopal::pipeline(6, numbers(1000), stage::parallel([](int i) {
                          if (i == 101 || i == 103) throw failure{i};
                          if (i == 100) {
                            nopal::io::sleep_for(std::chrono::microseconds(200));
                            throw failure{i};
                          }
                          return i;
                        }),
                        stage::in_order([&](int i) { out.push_back(i); }));
        FAIL();
      } catch (const failure& f) {
        EXPECT_EQ(f.number, 100);
      }
      EXPECT_EQ(out, first_numbers(100));
    }
  });
}

TEST(Pipeline, AnExceptionStopsWhatWaits) {
  everywhere([] {
    for (const bool in_source : {false, true}) {
      std::atomic<bool> waits = false;
      nopal::channel<int> nothing_comes(0);
      const auto wait_for_ever = [&]() -> std::optional<int> {
        waits = true;
        return nothing_comes.receive();
      };
      EXPECT_THROW(nopal::pipeline(
                       4,
                       [&, i = 0]() mutable -> std::optional<int> {
                         if (i == 3 && in_source) return wait_for_ever();
                         return i++;
                       },
                       stage::parallel([&](int i) {
                         if (i == 0) {
                           while (!waits) nopal::io::sleep_for(std::chrono::microseconds(50));
                           throw std::range_error("the first");
                         }
                         if (i == 2 && !in_source) wait_for_ever();
                         return i;
                       }),
                       stage::in_order([](int) {})),
                   std::range_error);
    }
  });
}

TEST(Pipeline, TheSourceMayThrow) {
  everywhere([] {
    std::vector<int> out;
    EXPECT_THROW(nopal::pipeline(
                     4,
                     [i = 0]() mutable -> std::optional<int> {
                       return i == 50 ? throw std::range_error("no more") : i++;
                     },
                     stage::parallel([](int i) { return i; }),
                     stage::in_order([&](int i) { out.push_back(i); })),
                 std::range_error);
    EXPECT_EQ(out, first_numbers(50));
  });
}

TEST(Pipeline, AStopEndsIt) {
  everywhere([] {
    std::stop_source source;
    EXPECT_THROW(nopal::with_stop(source.get_token(),
                                  [&] {
                                    nopal::pipeline(
                                        4, [i = 0]() mutable { return std::optional(i++); },
                                        stage::serial([&](int i) {
                                          if (i == 1000) source.request_stop();
                                        }));
                                  }),
                 nopal::stopped);
    EXPECT_THROW(nopal::with_stop(source.get_token(), [] { nopal::pipeline(4, numbers(10)); }),
                 nopal::stopped);
  });
}

}  // namespace
