// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/runtime.hpp"
#include "support/child_process.hpp"

namespace {

using nopal_test::ended_process;
using nopal_test::in_child;

#if NOPAL_ASSERTIONS

TEST(Assert, PassesWhereTheConditionHolds) {
  int evaluated = 0;
  NOPAL_ASSERT(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(Assert, NamesThePlaceAndTheCondition) {
  constexpr int line = __LINE__ + 2;
  const ended_process child = in_child([] {
    NOPAL_ASSERT(1 + 1 == 3);
    return 0;
  });
  EXPECT_FALSE(child.exited) << child;
  EXPECT_EQ(child.status, SIGABRT) << child;
  EXPECT_NE(child.errors.find("test_assert.cpp:" + std::to_string(line) + ": "), std::string::npos)
      << child;
  EXPECT_NE(child.errors.find("this does not hold: 1 + 1 == 3\n"), std::string::npos) << child;
}

TEST(Assert, NamesTheWorker) {
  const ended_process child = in_child([] {
    nopal::options o;
    o.workers = 1;
    o.caller_works = false;
    nopal::runtime r(o);
    r.run([] { NOPAL_ASSERT(false); });
    return 0;
  });
  EXPECT_EQ(child.status, SIGABRT) << child;
  EXPECT_NE(child.errors.find("on thread nopal-0 ("), std::string::npos) << child;
}

// What is written to a pipe of packets at once is read at once, and alone.
TEST(Assert, WritesItsMessageAtOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_DIRECT), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    NOPAL_ASSERT(2 < 1);
    _exit(0);
  }
  close(ends[1]);
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
  std::array<char, 4096> packet{};
  const ssize_t bytes = read(ends[0], packet.data(), packet.size());
  close(ends[0]);
  const std::string message(packet.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  EXPECT_TRUE(message.starts_with("nopal: ")) << message;
  EXPECT_TRUE(message.ends_with("this does not hold: 2 < 1\n")) << message;
}

#else

[[maybe_unused]] bool must_not_be_called() { std::abort(); }

TEST(Assert, IsNotEvaluatedWithoutTheChecks) {
  const int asked_for_here_alone = 1;  // no warning that it is unused
  NOPAL_ASSERT(asked_for_here_alone == 2);
  NOPAL_ASSERT(must_not_be_called());
}

#endif

}  // namespace
