// SPDX-License-Identifier: Apache-2.0
// The fork_frame whose children are stolen: in what it differs from the one whose functions are.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/steals_children.hpp"

namespace {

static_assert(nopal_test::steals_children);

using nopal::fork_frame;
using nopal::runtime;
using nopal_test::everywhere;
using nopal_test::until;

NOPAL_FORKS void in_order(std::string& order) {
  fork_frame frame;
  frame.fork([&] { order += 'a'; });
  order += 'b';
  frame.fork([&] { order += 'c'; });
  frame.join();
  order += 'd';
}

TEST(ChildForkFrame, OnOneWorkerTheNewestChildRunsFirst) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    r.run([&] { in_order(order); });
    EXPECT_EQ(order, "bcad");
  }
}

NOPAL_FORKS void steal_the_child(std::thread::id& child, std::atomic<bool>& stolen) {
  fork_frame frame;
  frame.fork([&] {
    child = std::this_thread::get_id();
    stolen = true;
  });
  until(stolen);
  frame.join();
}

TEST(ChildForkFrame, TheChildIsStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) {
      std::thread::id child, function;
      std::atomic<bool> stolen{false};
      r.run([&] {
        function = std::this_thread::get_id();
        steal_the_child(child, stolen);
      });
      EXPECT_NE(child, function);
    }
  }
}

// One child is stolen and waits for the other, which the function runs at its join.
NOPAL_FORKS void one_of_two_is_stolen(std::atomic<int>& n) {
  fork_frame frame;
  std::atomic<bool> stolen{false};
  std::atomic<bool> may_end{false};
  frame.fork([&] {
    stolen = true;
    until(may_end);
    ++n;
  });
  until(stolen);
  frame.fork([&] {
    ++n;
    may_end = true;
  });
  frame.join();
}

TEST(ChildForkFrame, SomeStolenAndSomeNot) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> n{0};
      r.run([&] {
        one_of_two_is_stolen(n);
        EXPECT_EQ(n, 2);
      });
    }
  }
}

// On the deque the children of both frames alternate.
NOPAL_FORKS void alternating_frames(std::array<std::atomic<int>, 6>& runs) {
  fork_frame outer;
  {
    fork_frame inner;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      outer.fork([&runs, i] { ++runs[i]; });
      inner.fork([&runs, i] { ++runs[i + 1]; });
    }
    outer.fork([] {});
    inner.join();
    for (std::size_t i = 1; i < runs.size(); i += 2) EXPECT_EQ(runs[i], 1);
  }
}

TEST(ChildForkFrame, AlternatingFrames) {
  everywhere([] {
    for (int i = 0; i < 2000; ++i) {
      std::array<std::atomic<int>, 6> runs{};
      alternating_frames(runs);
      for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
    }
  });
}

NOPAL_FORKS void first_to_fork_ends_first(std::atomic<int>& n) {
  fork_frame outer;
  {
    fork_frame inner;
    inner.fork([&n] { ++n; });
    inner.join();
    for (int i = 0; i < 3; ++i) outer.fork([&n] { ++n; });
  }
}

TEST(ChildForkFrame, OnAThreadThatIsNoWorkerFramesEndInAnyOrder) {
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> n{0};
    first_to_fork_ends_first(n);
    EXPECT_EQ(n, 4);
    EXPECT_EQ(std::this_thread::get_id(), here);
  }
}

// Whoever waits for another runtime leaves its children to any worker, and may move.
NOPAL_FORKS void waits_between_forks(runtime& other, std::atomic<int>& n) {
  fork_frame frame;
  for (int i = 0; i < 10; ++i) frame.fork([&] { ++n; });
  other.run([] {});
  for (int i = 0; i < 10; ++i) frame.fork([&] { ++n; });
  frame.join();
}

TEST(ChildForkFrame, ChildrenThatTheFunctionLeavesBehind) {
  runtime other({.workers = 1});
  for (const unsigned workers : {1U, 4U}) {
    runtime r({.workers = workers});
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> n{0};
      r.run([&] {
        waits_between_forks(other, n);
        EXPECT_EQ(n, 20);
      });
    }
  }
}

NOPAL_FORKS void several_throw(std::atomic<int>& ended) {
  fork_frame frame;
  for (int i = 0; i < 5; ++i)
    frame.fork([i, &ended] {
      ++ended;
      if (i % 2 != 0) throw i;
    });
  try {
    frame.join();
    ADD_FAILURE() << "nothing was thrown";
  } catch (int which) {
    EXPECT_EQ(which, 1) << "the serially first";
  }
  EXPECT_EQ(ended, 5);
  frame.fork([&ended] { ++ended; });
  frame.join();  // the exceptions are gone
  EXPECT_EQ(ended, 6);
}

TEST(ChildForkFrame, AllRunAndTheSeriallyFirstWins) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> ended{0};
      several_throw(ended);
    }
  });
}

NOPAL_FORKS void left_by_an_exception(std::atomic<int>& ended) {
  fork_frame frame;
  for (int i = 0; i < 3; ++i)
    frame.fork([&ended] {
      EXPECT_EQ(std::uncaught_exceptions(), 0) << "as at the fork";
      EXPECT_EQ(std::current_exception(), nullptr);
      try {
        throw 2;
      } catch (int) {
        ++ended;
      }
      throw 3;
    });
  throw std::string("goes on");
}

TEST(ChildForkFrame, ChildrenRunWhileTheFunctionIsLeft) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> ended{0};
      EXPECT_THROW(left_by_an_exception(ended), std::string);
      EXPECT_EQ(ended, 3);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
}

NOPAL_FORKS void joins_in_a_catch_block() {
  fork_frame frame;
  frame.fork([] { EXPECT_EQ(std::current_exception(), nullptr) << "as at the fork"; });
  try {
    throw 1;
  } catch (int) {
    frame.fork([] { EXPECT_NE(std::current_exception(), nullptr); });
    frame.join();
    EXPECT_NE(std::current_exception(), nullptr);
  }
}

TEST(ChildForkFrame, ChildrenFindTheExceptionsOfTheirFork) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) joins_in_a_catch_block();
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

struct forks_when_copied {
  forks_when_copied(runtime& r, std::atomic<int>& count) : other(&r), n(&count) {}
  NOPAL_FORKS forks_when_copied(const forks_when_copied& from) : other(from.other), n(from.n) {
    fork_frame frame;
    frame.fork([this] { ++*n; });
    other->run([] {});  // this worker takes another strand, and another worker may take this one
    frame.join();
  }
  forks_when_copied& operator=(const forks_when_copied&) = delete;

  runtime* other;
  std::atomic<int>* n;
};

NOPAL_FORKS void moves_while_it_forks(runtime& other, std::atomic<int>& n) {
  const forks_when_copied argument(other, n);
  fork_frame frame;
  frame.fork([&] { ++n; });
  for (int i = 0; i < 5; ++i) frame.fork([](const forks_when_copied& a) { ++*a.n; }, argument);
  frame.join();
}

TEST(ChildForkFrame, AnArgumentsCopyMovesTheFunction) {
  runtime other({.workers = 1});
  runtime r({.workers = 4});
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> n{0};
    r.run([&] {
      nopal::parallel_invoke([&] { moves_while_it_forks(other, n); },
                             [&] { moves_while_it_forks(other, n); });
    });
    EXPECT_EQ(n, 22);
  }
}

}  // namespace
