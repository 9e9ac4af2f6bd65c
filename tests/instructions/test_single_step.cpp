// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <stdexcept>

#include "instructions/single_step.hpp"

namespace {

using nopal_test::begin_section;
using nopal_test::single_stepped;
using nopal_test::stepped;

TEST(SingleStep, CountsEachInstruction) {
  const stepped s = single_stepped([] {
    std::uint64_t x = 0;
    asm volatile("lock incq %0" : "+m"(x));  // in no section
    begin_section(1);
    std::uint64_t y = 1;
    for (int i = 0; i < 100; ++i) asm volatile("lock xaddq %1, %0" : "+m"(x), "+r"(y));
    begin_section(2);
    for (int i = 0; i < 10; ++i) asm volatile("mfence" : : : "memory");
    for (int i = 0; i < 5; ++i) asm volatile("xchgq %1, %0" : "+m"(x), "+r"(y));
    begin_section(0);
    asm volatile("mfence" : : : "memory");
    begin_section(3);
    asm volatile("nop\n\txchg %%ax, %%ax\n\tnop" : : : "memory");
    begin_section(4);
    for (int i = 0; i < 7; ++i) getppid();
    begin_section(1);
    asm volatile("lfence" : : : "memory");
    begin_section(0);
    return 17;
  });
  if (!s.impossible.empty()) GTEST_SKIP() << s.impossible;
  EXPECT_EQ(s.status, 17);
  EXPECT_EQ(s.sections[0].instructions, 0U);
  EXPECT_EQ(s.sections[1].read_modify_writes, 100U);
  EXPECT_EQ(s.sections[1].fences, 1U);
  EXPECT_EQ(s.sections[1].system_calls, 0U);
  EXPECT_GE(s.sections[1].instructions, 101U);
  EXPECT_EQ(s.sections[2].read_modify_writes, 5U);
  EXPECT_EQ(s.sections[2].fences, 10U);
  EXPECT_GE(s.sections[3].instructions, 3U);
  EXPECT_LE(s.sections[3].instructions, 4U) << "and the number of the section after it";
  EXPECT_EQ(s.sections[3].dear(), 0U);
  EXPECT_EQ(s.sections[4].system_calls, 7U);
}

TEST(SingleStep, AChildThatEndsWithinASection) {
  const stepped s = single_stepped([]() -> int {
    begin_section(1);
    raise(SIGKILL);
    return 0;
  });
  if (!s.impossible.empty()) GTEST_SKIP() << s.impossible;
  EXPECT_EQ(s.status, 128 + SIGKILL);
  EXPECT_GE(s.sections[1].system_calls, 1U);
}

TEST(SingleStep, AnException) {
  const stepped s =
      single_stepped([]() -> int { throw std::runtime_error("expected by this test"); });
  if (!s.impossible.empty()) GTEST_SKIP() << s.impossible;
  EXPECT_EQ(s.status, 120);
}

}  // namespace
