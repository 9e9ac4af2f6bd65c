// SPDX-License-Identifier: Apache-2.0
// What the checker of histories finds, and what it does not complain of.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/build.hpp"
#include "support/ordered_clock.hpp"
#include "support/pool_history.hpp"
#include "support/pool_log.hpp"
#include "support/seed.hpp"

namespace nopal_test {
namespace {

using records = std::vector<pool_record>;
using faults = std::vector<found_fault>;

pool_record put(task_number n, moment begin, moment end) {
  return {pool_operation::put, n, begin, end};
}
pool_record got(task_number n, moment begin, moment end) {
  return {pool_operation::got, n, begin, end};
}
pool_record nothing(moment begin, moment end) { return {pool_operation::nothing, 0, begin, end}; }

/// Each record by a thread of its own.
history_report check(const records& all) {
  std::vector<pool_log> logs(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) logs[i].add(all[i]);
  return pool_history(logs).check();
}

faults faults_of(const records& all) { return check(all).faults; }

TEST(PoolHistory, Right) {
  EXPECT_EQ(faults_of({}), faults{});
  EXPECT_EQ(faults_of({nothing(0, 5), put(0, 10, 20), got(0, 30, 40), nothing(50, 60)}), faults{});
  EXPECT_EQ(faults_of({put(0, 10, 20), put(1, 11, 19), got(1, 30, 40), got(0, 30, 50)}), faults{});
  EXPECT_EQ(faults_of({put(0, 10, 20), got(0, 5, 10)}), faults{})
      << "they overlap, as far as one can tell";
}

TEST(PoolHistory, Twice) {
  EXPECT_EQ(faults_of({put(0, 10, 20), got(0, 30, 40), got(0, 31, 41)}),
            (faults{{pool_fault::got_twice, 0, 31, 41}}));
}

TEST(PoolHistory, NeverPut) {
  EXPECT_EQ(faults_of({put(0, 10, 20), got(0, 30, 40), got(1, 50, 60)}),
            (faults{{pool_fault::never_put, 1, 50, 60}}));
}

TEST(PoolHistory, BeforeItWasPut) {
  EXPECT_EQ(faults_of({put(0, 10, 20), got(0, 2, 9)}),
            (faults{{pool_fault::got_before_put, 0, 2, 9}}));
}

TEST(PoolHistory, Lost) {
  EXPECT_EQ(faults_of({put(0, 10, 20), put(1, 10, 20), got(0, 30, 40)}),
            (faults{{pool_fault::lost, 1, 10, 20}}));
  EXPECT_EQ(faults_of({put(0, 10, 20), nothing(5, 22), nothing(22, 30)}),
            (faults{{pool_fault::lost, 0, 10, 20}, {pool_fault::was_not_empty, 0, 22, 30}}));
}

TEST(PoolHistory, NotEmptyBecauseOfOneTask) {
  const auto with = [](const pool_record& r) {
    return faults_of({put(0, 10, 20), got(0, 50, 60), r});
  };
  EXPECT_EQ(with(nothing(21, 49)), (faults{{pool_fault::was_not_empty, 0, 21, 49}}));
  EXPECT_EQ(with(nothing(30, 30)), (faults{{pool_fault::was_not_empty, 0, 30, 30}}));
  EXPECT_EQ(with(nothing(20, 49)), faults{}) << "the put may have ended later in that nanosecond";
  EXPECT_EQ(with(nothing(21, 50)), faults{}) << "the task may have gone in that nanosecond";
  EXPECT_EQ(with(nothing(0, 15)), faults{});
  EXPECT_EQ(with(nothing(55, 70)), faults{});
  EXPECT_EQ(with(nothing(0, 100)), faults{});
}

TEST(PoolHistory, NotEmptyBecauseOfOneTaskAfterTheOther) {
  const records one_then_other{put(0, 10, 20), put(1, 30, 40), got(0, 50, 60), got(1, 80, 90)};
  const auto with = [&](const pool_record& r) {
    records all = one_then_other;
    all.push_back(r);
    return faults_of(all);
  };
  EXPECT_EQ(with(nothing(25, 75)), (faults{{pool_fault::was_not_empty, 0, 25, 75}}));
  EXPECT_EQ(with(nothing(25, 85)), faults{});
  EXPECT_EQ(with(nothing(15, 75)), faults{});

  const auto touching = [](moment put_end) {
    return faults_of({put(0, 10, 20), got(0, 50, 60), put(1, 30, put_end), got(1, 80, 90),
                      nothing(25, 75)})
        .size();
  };
  EXPECT_EQ(touching(49), 1U);
  EXPECT_EQ(touching(50), 0U) << "between the two";
  EXPECT_EQ(touching(55), 0U);
}

TEST(PoolHistory, TellsHowMuchItSaw) {
  const history_report r = check({put(0, 10, 20), got(0, 50, 60), nothing(0, 5), nothing(40, 55),
                                  nothing(15, 21), nothing(60, 61)});
  EXPECT_EQ(r.faults, faults{});
  EXPECT_EQ(r.tasks, 1U);
  EXPECT_EQ(r.nothing, 4U);
  EXPECT_EQ(r.contested, 2U);
}

TEST(PoolHistory, NumbersThatAreNone) {
  EXPECT_THROW(faults_of({put(1, 10, 20)}), std::invalid_argument);
  EXPECT_THROW(faults_of({put(0, 10, 20), put(0, 30, 40)}), std::invalid_argument);
}

TEST(PoolHistory, FaultsInWords) {
  EXPECT_EQ(testing::PrintToString(found_fault{pool_fault::lost, 7, 1, 2}),
            "task 7 never came out, in a call from 1 to 2 ns");
}

/// Nanosecond after nanosecond.
std::vector<std::pair<moment, moment>> wrong_answers(const records& all) {
  std::map<task_number, std::pair<moment, moment>> surely_in;  // neither included
  for (const pool_record& r : all)
    if (r.what == pool_operation::put) surely_in[r.task].first = r.end;
  for (const pool_record& r : all)
    if (r.what == pool_operation::got) surely_in[r.task].second = r.begin;
  std::vector<std::pair<moment, moment>> wrong;
  for (const pool_record& r : all) {
    if (r.what != pool_operation::nothing) continue;
    bool always = true;
    for (moment t = r.begin; t <= r.end; ++t)
      always = always && std::ranges::any_of(surely_in, [&](const auto& s) {
                 return s.second.first < t && t < s.second.second;
               });
    if (always) wrong.emplace_back(r.begin, r.end);
  }
  return wrong;
}

TEST(PoolHistory, AgreesWithOneThatLooksAtEachNanosecond) {
  std::size_t faulty = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    random_numbers random(seed);
    const auto call = [&](pool_operation what, task_number n, unsigned from) {
      const moment begin = from + random.below(12);
      return pool_record{what, n, begin, begin + random.below(8)};
    };
    records all;
    for (task_number n = 0; n < 1 + random.below(6); ++n) {
      all.push_back(call(pool_operation::put, n, 0));
      all.push_back(call(pool_operation::got, n, static_cast<unsigned>(all.back().begin)));
      all.back().end = std::max(all.back().end, all[all.size() - 2].begin);
    }
    for (unsigned i = 0; i < 8; ++i)
      all.push_back(call(pool_operation::nothing, 0, random.below(20)));
    std::vector<std::pair<moment, moment>> found;
    for (const found_fault& f : faults_of(all)) {
      ASSERT_EQ(f.what, pool_fault::was_not_empty);
      found.emplace_back(f.begin, f.end);
    }
    ASSERT_EQ(found, wrong_answers(all)) << "seed " << seed;
    faulty += found.size();
  }
  EXPECT_GT(faulty, 100U);
}

TEST(PoolHistory, AMillionOperationsAtOnce) {
  const task_number tasks = 1000000 / 3 / work_divisor;
  std::vector<pool_log> logs(3);
  for (task_number n = 0; n < tasks; ++n) {
    const moment t = 1000 + 10 * moment{n};
    logs[0].add(put(n, t, t + 2));
    logs[1].add(got(n, t + 12 + 100 * (n % 2), t + 300));
    logs[2].add(nothing(t - 50, t));
  }
  const auto before = std::chrono::steady_clock::now();
  const history_report r = pool_history(logs).check();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
  EXPECT_EQ(r.tasks, tasks);
  EXPECT_EQ(r.faults.size(), tasks - 7) << "all but the first find a task in at all times";
}

TEST(PoolLog, OperationsBetweenTwoLooksAtTheClock) {
  pool_log log;
  log.begin();
  log.put(3);
  log.nothing();
  log.end();
  log.begin();
  log.got(4);
  log.end();
  const auto& r = log.records();
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r[0].what, pool_operation::put);
  EXPECT_EQ(r[1].what, pool_operation::nothing);
  EXPECT_EQ(r[2].what, pool_operation::got);
  EXPECT_EQ(r[0].task, 3U);
  EXPECT_EQ(r[2].task, 4U);
  EXPECT_EQ(r[0].begin, r[1].begin);
  EXPECT_EQ(r[0].end, r[1].end);
  EXPECT_LE(r[1].begin, r[1].end);
  EXPECT_LE(r[1].end, r[2].begin);
  EXPECT_LE(r[2].begin, r[2].end);
}

}  // namespace
}  // namespace nopal_test
