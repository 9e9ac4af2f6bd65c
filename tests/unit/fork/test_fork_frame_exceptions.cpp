// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"
#include "support/steals_children.hpp"

namespace {

using nopal::fork_frame;
using nopal::runtime;
using nopal_test::everywhere;
using nopal_test::until;

void throws(int n) { throw n; }

NOPAL_FORKS int caught_of_one_child() {
  try {
    fork_frame frame;
    frame.fork(throws, 1);
    frame.join();
  } catch (int n) {
    return n;
  }
  return 0;
}

TEST(ForkFrameExceptions, OfAChild) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) EXPECT_EQ(caught_of_one_child(), 1);
  });
}

// Not stolen: out of fork(), as from the call.
NOPAL_FORKS void unstolen(bool& went_on) {
  fork_frame frame;
  frame.fork(throws, 3);
  went_on = true;
}

TEST(ForkFrameExceptions, UnstolenThrowsOutOfFork) {
  for (const bool caller_works : {false, true}) {
    if (nopal_test::steals_children) GTEST_SKIP() << "children throw at the join";
    runtime r({.workers = 1, .caller_works = caller_works});
    bool went_on = false;
    EXPECT_THROW(r.run([&] { unstolen(went_on); }), int);
    EXPECT_FALSE(went_on);
  }
}

NOPAL_FORKS void stolen_and_joined(std::atomic<bool>& stolen) {
  fork_frame frame;
  frame.fork([&] {
    until(stolen);
    throw std::runtime_error("late");
  });
  stolen = true;
  EXPECT_THROW(frame.join(), std::runtime_error);
  frame.fork([] {});
  frame.join();  // the exception was thrown once
}

TEST(ForkFrameExceptions, StolenThrowsOutOfJoin) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 50; ++i) {
      std::atomic<bool> stolen{false};
      r.run([&] { stolen_and_joined(stolen); });
    }
  }
}

NOPAL_FORKS void stolen_and_not_joined(std::atomic<bool>& stolen) {
  fork_frame frame;
  frame.fork([&] {
    until(stolen);
    throw std::runtime_error("later");
  });
  stolen = true;
}

TEST(ForkFrameExceptions, StolenThrowsOutOfTheEndOfTheFrame) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 50; ++i) {
      std::atomic<bool> stolen{false};
      EXPECT_THROW(r.run([&] { stolen_and_not_joined(stolen); }), std::runtime_error);
    }
  }
}

// Each child waits until the next is forked, so all but the last are stolen from; the later ones
// throw first.
NOPAL_FORKS int first_of_many() {
  fork_frame frame;
  std::atomic<int> forked{0};
  std::atomic<int> thrown{0};
  for (int i = 0; i < 3; ++i) {
    frame.fork([i, &forked, &thrown] {
      while (forked.load() <= i) std::this_thread::yield();
      while (thrown.load() != 2 - i) std::this_thread::yield();
      thrown.fetch_add(1);
      throw i;
    });
    forked.fetch_add(1);
  }
  try {
    frame.join();
  } catch (int which) {
    return which;
  }
  return -1;
}

// The first child throws after the second, which nobody steals from, has thrown.
NOPAL_FORKS int first_of_two() {
  std::atomic<bool> second_began{false};
  try {
    fork_frame frame;
    frame.fork([&] {
      until(second_began);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      throw 1;
    });
    frame.fork([&] {
      second_began = true;
      throw 2;
    });
    frame.join();
  } catch (int which) {
    return which;
  }
  return -1;
}

TEST(ForkFrameExceptions, TheSeriallyFirstWinsOverOneThatComesOutOfAFork) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 50; ++i) EXPECT_EQ(r.run(first_of_two), 1);
  }
}

// The same, and the function goes on: its frame forks and joins as if nothing had been. If the
// second child is stolen from in the last moment, it is the join that throws.
NOPAL_FORKS int after_first_of_two() {
  std::atomic<bool> second_began{false};
  std::atomic<bool> third_began{false};
  int a = 0;
  int which = 0;
  fork_frame frame;
  frame.fork([&] {
    until(second_began);
    throw 1;
  });
  try {
    frame.fork([&] {
      second_began = true;
      throw 2;
    });
  } catch (int thrown) {
    which = thrown;
  }
  frame.fork(&a, [&] {
    until(third_began);
    return 10;
  });
  third_began = true;
  try {
    frame.join();
  } catch (int thrown) {
    which = thrown;
  }
  return which + a;
}

TEST(ForkFrameExceptions, AFrameGoesOnAfterTheSeriallyFirst) {
  for (const bool caller_works : {false, true}) {
    if (nopal_test::steals_children) GTEST_SKIP() << "children throw at the join";
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 50; ++i) EXPECT_EQ(r.run(after_first_of_two), 11);
  }
}

// What the function itself throws is on its way before the frame comes to its join. A handler that
// joins lets the serially first win.
NOPAL_FORKS int first_of_child_and_function() {
  std::atomic<bool> throwing{false};
  try {
    fork_frame frame;
    frame.fork([&] {
      until(throwing);
      throw 1;
    });
    try {
      throwing = true;
      throw 2;
    } catch (...) {
      frame.join();
      throw;
    }
  } catch (int which) {
    return which;
  }
  return -1;
}

TEST(ForkFrameExceptions, AHandlerThatJoinsThrowsTheSeriallyFirst) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 50; ++i) EXPECT_EQ(r.run(first_of_child_and_function), 1);
  }
}

TEST(ForkFrameExceptions, TheSeriallyFirstWins) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 4, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(r.run(first_of_many), 0);
  }
}

NOPAL_FORKS void leaves_by_exception(std::atomic<bool>& stolen, std::atomic<bool>& ended,
                                     bool child_throws) {
  fork_frame frame;
  frame.fork([&] {
    until(stolen);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ended = true;
    if (child_throws) throw std::runtime_error("dropped");
  });
  stolen = true;
  throw std::logic_error("goes on");
}

TEST(ForkFrameExceptions, LeavingTheScopeWaitsForTheChildren) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> stolen{false}, ended{false};
      r.run([&] {
        EXPECT_THROW(leaves_by_exception(stolen, ended, i % 2 == 0), std::logic_error);
        EXPECT_TRUE(ended);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      });
    }
  }
}

TEST(ForkFrameExceptions, LeavingTheScopeOnAThreadThatIsNoWorker) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> stolen{true}, ended{false};
    const auto here = std::this_thread::get_id();
    EXPECT_THROW(leaves_by_exception(stolen, ended, false), std::logic_error);
    EXPECT_TRUE(ended);
    EXPECT_EQ(std::this_thread::get_id(), here);
  }
}

std::string current_message() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& e) {
    return e.what();
  }
}

void has_its_own_catch_block() {
  EXPECT_EQ(current_message(), "outer");
  try {
    throw std::runtime_error("inner");
  } catch (...) {
    EXPECT_EQ(current_message(), "inner");
  }
  EXPECT_EQ(current_message(), "outer");
}

NOPAL_FORKS void inside_a_catch_block() {
  try {
    throw std::runtime_error("outer");
  } catch (...) {
    fork_frame frame;
    for (int i = 0; i < 3; ++i) {
      frame.fork(has_its_own_catch_block);
      has_its_own_catch_block();
    }
    frame.join();
    EXPECT_EQ(current_message(), "outer");
  }
}

TEST(ForkFrameExceptions, InsideACatchBlock) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      inside_a_catch_block();
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

void leaf(int) {}

struct forks_while_unwinding {
  NOPAL_FORKS ~forks_while_unwinding() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    fork_frame frame;
    frame.fork(leaf, 1);
    frame.fork(leaf, 2);
    frame.join();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

TEST(ForkFrameExceptions, InADestructorThatUnwinds) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_THROW(
          {
            const forks_while_unwinding f;
            throw 5;
          },
          int);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::bad_alloc(); }
};

NOPAL_FORKS void argument_cannot_be_copied(std::atomic<int>& n) {
  fork_frame frame;
  frame.fork([&] { ++n; });
  const throws_when_copied argument;
  frame.fork([](const throws_when_copied&) {}, argument);
}

TEST(ForkFrameExceptions, OfAnArgumentsCopy) {
  everywhere([] {
    for (int i = 0; i < 50; ++i) {
      std::atomic<int> n{0};
      EXPECT_THROW(argument_cannot_be_copied(n), std::bad_alloc);
      EXPECT_EQ(n, 1);
    }
  });
}

}  // namespace
