// SPDX-License-Identifier: Apache-2.0
// What a transaction costs, counted: one that only reads executes no atomic read-modify-write and
// no fence.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>

#include "instructions/single_step.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/stm.hpp"

namespace {

using nopal_test::begin_section;
using nopal_test::executed;
using nopal_test::single_stepped;
using nopal_test::stepped;
namespace stm = nopal::stm;

enum section : std::size_t { not_counted, reading_one, reading_many, writing };

constexpr unsigned transactions = 10;
constexpr unsigned vars = 20;

enum status : int { done, wrong_sum, no_membarrier };

struct shared_values {
  stm::var<int> one{1};
  stm::var<int> many[vars];
};

template <class Reads>
[[gnu::noinline]] int read_first(shared_values& s, unsigned n) {
  return stm::atomically<Reads>([&](stm::basic_transaction<Reads>& t) {
    int sum = t.get(s.one);
    for (unsigned i = 0; i < n; ++i) sum += t.get(s.many[i]);
    return sum;
  });
}

[[gnu::noinline]] void add_one(shared_values& s) {
  stm::atomically([&](stm::transaction& t) { t.set(s.one, t.get(s.one) + 1); });
}

template <class Reads>
status count_all() {
  shared_values s;
  int sum = 0;
  for (unsigned i = 0; i < 3; ++i) {
    add_one(s);
    static_cast<void>(read_first<Reads>(s, vars));
  }
  if (!nopal::detail::asymmetric_fences) return no_membarrier;
  begin_section(reading_one);
  for (unsigned i = 0; i < transactions; ++i) sum += read_first<Reads>(s, 0);
  begin_section(reading_many);
  for (unsigned i = 0; i < transactions; ++i) sum += read_first<Reads>(s, vars);
  begin_section(writing);
  for (unsigned i = 0; i < transactions; ++i) add_one(s);
  begin_section(not_counted);
  return sum == static_cast<int>(2 * transactions * 4) ? done : wrong_sum;
}

template <class Reads>
void expect_cheap() {
  const stepped counted = single_stepped(count_all<Reads>);
  if (!counted.impossible.empty()) GTEST_SKIP() << counted.impossible;
  if (counted.status == no_membarrier) GTEST_SKIP() << "this kernel has no membarrier(2)";
  ASSERT_EQ(counted.status, done);
  for (const section s : {reading_one, reading_many, writing}) {
    const executed& e = counted.sections[s];
    std::cout << "section " << s << ": " << e.instructions / transactions
              << " instructions for each transaction; for all " << transactions << ": " << e
              << '\n';
    EXPECT_GE(e.instructions, transactions);
  }
  EXPECT_EQ(counted.sections[reading_one].dear(), 0U);
  EXPECT_EQ(counted.sections[reading_many].dear(), 0U);
  // One takes the lock, one advances the clock.
  EXPECT_EQ(counted.sections[writing].dear(), 2 * transactions);
}

TEST(StmInstructions, OfAnArrayOfReads) { expect_cheap<stm::array_reads>(); }
TEST(StmInstructions, OfAHashSetOfReads) { expect_cheap<stm::hash_reads>(); }

}  // namespace
