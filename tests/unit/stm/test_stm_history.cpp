// SPDX-License-Identifier: Apache-2.0
// The judge of histories of transactions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/stm_history.hpp"

namespace {

using nopal_test::stm_attempt;
using nopal_test::stm_history;

std::string judge(std::vector<stm_attempt> attempts) {
  return stm_history(std::move(attempts)).check();
}

stm_attempt commit(nopal_test::moment begin, nopal_test::moment end,
                   std::vector<stm_attempt::access> reads,
                   std::vector<stm_attempt::replacement> written = {}) {
  return {begin, end, true, std::move(reads), std::move(written)};
}
stm_attempt abort(nopal_test::moment begin, nopal_test::moment end,
                  std::vector<stm_attempt::access> reads) {
  return {begin, end, false, std::move(reads), {}};
}

const stm_attempt writes_both = commit(10, 20, {{0, 0}, {1, 0}}, {{0, 0, 1}, {1, 0, 2}});

TEST(StmHistory, OneAfterTheOther) {
  EXPECT_EQ(judge({}), "");
  EXPECT_EQ(judge({writes_both, commit(30, 40, {{0, 1}, {1, 2}}), commit(0, 5, {{0, 0}})}), "");
  EXPECT_EQ(judge({writes_both, commit(15, 40, {{0, 0}, {1, 0}})}), "");
  EXPECT_EQ(judge({writes_both, abort(15, 40, {{0, 0}, {1, 0}})}), "");
}

TEST(StmHistory, HalfOfACommit) {
  EXPECT_NE(judge({writes_both, commit(15, 40, {{0, 0}, {1, 2}})}), "");
  EXPECT_NE(judge({writes_both, abort(15, 40, {{0, 0}, {1, 2}})}), "");
  EXPECT_NE(judge({writes_both, abort(15, 40, {{0, 1}, {0, 0}})}), "");
}

TEST(StmHistory, AgainstTheOrderOfTime) {
  EXPECT_NE(judge({writes_both, commit(30, 40, {{0, 0}})}), "");
  EXPECT_NE(judge({writes_both, abort(0, 5, {{0, 1}})}), "");
  EXPECT_EQ(judge({writes_both, commit(20, 40, {{0, 0}})}), "");
}

TEST(StmHistory, ALostUpdate) {
  EXPECT_NE(judge({writes_both, commit(15, 40, {{0, 0}}, {{0, 0, 3}})}), "");
}

TEST(StmHistory, WriteSkew) {
  EXPECT_NE(judge({commit(0, 9, {{0, 0}, {1, 0}}, {{0, 0, 1}}),
                   commit(0, 9, {{0, 0}, {1, 0}}, {{1, 0, 2}})}),
            "");
}

TEST(StmHistory, AValueOfNobody) { EXPECT_NE(judge({commit(0, 9, {{0, 5}})}), ""); }

TEST(StmHistory, OneOrderForTwoReaders) {
  const auto first = commit(0, 100, {{0, 0}}, {{0, 0, 1}});
  const auto second = commit(0, 100, {{1, 0}}, {{1, 0, 2}});
  EXPECT_EQ(judge({first, second, abort(0, 100, {{0, 1}, {1, 0}})}), "");
  EXPECT_NE(
      judge({first, second, abort(0, 100, {{0, 1}, {1, 0}}), abort(0, 100, {{0, 0}, {1, 2}})}), "");
}

}  // namespace
