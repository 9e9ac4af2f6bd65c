// SPDX-License-Identifier: Apache-2.0
// Transactions under contention: what all their attempts have read, those that failed too, must be
// what transactions one after the other could have read. The judge is tried on transactions that
// leave out a step of the protocol, in programs of their own.
#include "support/stm_history.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "nopal/stm.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/pin.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::ordered_now;
using nopal_test::random_numbers;
using nopal_test::stm_attempt;
namespace stm = nopal::stm;

constexpr unsigned threads = 4;
constexpr unsigned locations = 6;
constexpr unsigned each = nopal_test::with_tsan ? 300 : nopal_test::with_asan ? 1000 : 2000;

/// Two locations under one lock, where the policy has one for an object.
template <class Locks>
struct pair_of_values : stm::object<Locks> {
  std::array<stm::field<std::uint64_t, Locks>, 2> values;
};

template <class Locks, class Reads>
class recorded_run {
 public:
  explicit recorded_run(std::uint64_t seed) : seed_(seed), logs_(threads) {}

  /// What the judge says.
  std::string judge() {
    {
      std::vector<std::jthread> running;
      for (unsigned i = 0; i < threads; ++i)
        running.emplace_back([this, i] {
          nopal_test::pin(i);
          random_numbers random(seed_ + i);
          for (unsigned k = 0; k < each; ++k) run_one(i, random);
        });
    }
    std::vector<stm_attempt> all;
    for (const auto& log : logs_) all.insert(all.end(), log.begin(), log.end());
    return nopal_test::stm_history(std::move(all)).check();
  }

 private:
  using transaction = stm::basic_transaction<Reads>;

  void run_one(unsigned thread, random_numbers& random) {
    std::vector<stm_attempt>& log = logs_[thread];
    nopal_test::moment last = ordered_now();
    bool is_first = true;
    stm::atomically<Reads>([&](transaction& t) {
      if (!is_first) log.back().end = ordered_now();
      is_first = false;
      log.emplace_back().begin = last;
      const unsigned steps = 1 + random.below(4);
      for (unsigned n = 0; n < steps; ++n) {
        step(t, log.back(), thread, random);
        last = ordered_now();
      }
    });
    log.back().end = ordered_now();
    log.back().committed = true;
  }

  void step(transaction& t, stm_attempt& attempt, unsigned thread, random_numbers& random) {
    const unsigned l = random.below(locations);
    for (const auto& w : attempt.written)
      if (w.location == l) return;
    auto& o = objects_[l / 2];
    const std::uint64_t before = t.get(o, o.values[l % 2]);
    attempt.reads.push_back({l, before});
    if (random.one_in(2)) return;
    const std::uint64_t value = ++written_[thread] * threads + thread;
    t.set(o, o.values[l % 2], value);
    attempt.written.push_back({l, before, value});
  }

  std::uint64_t seed_;
  std::array<pair_of_values<Locks>, locations / 2> objects_;
  std::array<std::uint64_t, threads> written_{};
  std::vector<std::vector<stm_attempt>> logs_;
};

template <class Locks, class Reads>
std::string judge(std::uint64_t seed) {
  return recorded_run<Locks, Reads>(seed).judge();
}

struct policy {
  const char* name;
  std::string (*judge)(std::uint64_t seed);
};
void PrintTo(const policy& p, std::ostream* out) { *out << p.name; }

const std::vector<policy> policies{
    {"Inline", judge<stm::inline_lock, stm::array_reads>},
    {"InlineHash", judge<stm::inline_lock, stm::hash_reads>},
    {"Word", judge<stm::word_lock, stm::array_reads>},
    {"Table", judge<stm::lock_table<16, 3>, stm::array_reads>},
    {"SmallTable", judge<stm::lock_table<2, 3>, stm::hash_reads>},
};

class StmRecorded : public testing::TestWithParam<policy> {};

TEST_P(StmRecorded, IsOpaque) {
  const std::uint64_t seed = nopal_test::seed_or(31);
  const nopal_test::watchdog w(120s, "recorded transactions", seed);
  const nopal_test::random_delays d(seed);
  EXPECT_EQ(GetParam().judge(seed), "") << "NOPAL_TEST_SEED=" << seed;
}

INSTANTIATE_TEST_SUITE_P(Policies, StmRecorded, testing::ValuesIn(policies),
                         testing::PrintToStringParamName());

/// For programs in which transactions leave out a step (stm_mutants.cmake).
TEST(StmMutant, DISABLED_IsFound) {
  const std::uint64_t seed = nopal_test::seed_or(32);
  const nopal_test::watchdog w(240s, "transactions without a step", seed);
  const nopal_test::random_delays d(seed);
  for (unsigned n = 0; n < 50; ++n)
    for (const policy& p : policies)
      if (!p.judge(seed + n).empty()) return;
  ADD_FAILURE() << "the judge has not noticed; NOPAL_TEST_SEED=" << seed;
}

}  // namespace
