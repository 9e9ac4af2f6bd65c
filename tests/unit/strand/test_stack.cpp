// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "nopal/nopal.hpp"
#include "strand/stack.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"

namespace {

using nopal::detail::page_size;
using nopal::detail::stack;

constexpr std::size_t bytes = std::size_t{1} << 20;

class Stack : public testing::Test {
 protected:
  Stack() : stack_(stack::map(bytes)) {}
  ~Stack() override {
    if (stack_ != nullptr) stack::unmap(stack_);
  }
  /// Writes to the highest n pages below the one that base() lies in.
  void touch(std::size_t n) {
    for (std::size_t i = 1; i <= n; ++i) *(stack_->base() - i * page_size()) = std::byte{1};
  }
  stack* stack_;
};

TEST_F(Stack, CostsOnePageAtFirst) {
  ASSERT_NE(stack_, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack_->base()) % 16, 0U);
  EXPECT_EQ(stack_->resident_pages(), 1U);
}

TEST_F(Stack, HoldsAndGuards) {
  EXPECT_TRUE(stack_->holds(stack_->base() - 1));
  EXPECT_FALSE(stack_->holds(stack_->base()));
  std::byte* low = static_cast<std::byte*>(stack_->sanitizer_fiber.low);
  EXPECT_TRUE(stack_->holds(low));
  EXPECT_FALSE(stack_->guards(low));
  EXPECT_TRUE(stack_->guards(low - 1));
  EXPECT_TRUE(stack_->guards(low - 60000)) << "a large frame steps over a page or more";
  EXPECT_FALSE(stack_->lent());
}

/// The kernel does not install guards in locked memory, and has been asked for one before.
TEST_F(Stack, IsMappedWhereMemoryIsLocked) {
  ASSERT_NE(stack_, nullptr);
  constexpr int cannot_lock = 77;
  const auto p = nopal_test::in_child([] {
    if (mlockall(MCL_FUTURE) != 0) return cannot_lock;
    const stack* locked = stack::map(64 << 10);
    if (locked == nullptr) return 1;
    return locked->guards(static_cast<std::byte*>(locked->sanitizer_fiber.low) - 1) ? 0 : 2;
  });
  if (p.exited && p.status == cannot_lock) GTEST_SKIP() << "mlockall(2) is not allowed";
  EXPECT_TRUE(p.ok()) << p;
}

TEST_F(Stack, ReclaimGivesBackAllPagesOfAnEmptyStack) {
  touch(20);
  EXPECT_EQ(stack_->resident_pages(), 21U);
  EXPECT_GE(stack_->reclaim(nullptr, false), 20U);
  EXPECT_LE(stack_->resident_pages(), 1U + 1U);
}

TEST_F(Stack, ReclaimKeepsWhatIsLive) {
  touch(20);
  std::byte* live = stack_->base() - 5 * page_size();
  *live = std::byte{42};
  EXPECT_GE(stack_->reclaim(live, false), 15U);
  EXPECT_EQ(*live, std::byte{42});
  EXPECT_LE(stack_->resident_pages(), 7U);
  EXPECT_GE(stack_->resident_pages(), 6U);
}

TEST_F(Stack, LazyReclaimLeavesTheStackUsable) {
  touch(20);
  EXPECT_GE(stack_->reclaim(nullptr, true), 20U);
  touch(20);
  EXPECT_EQ(stack_->resident_pages(), 21U);
}

TEST_F(Stack, StalePagesAreThoseBelowTheLiveOnes) {
  touch(20);
  EXPECT_GE(stack_->stale_pages(stack_->base() - 5 * page_size()), 14U);
  EXPECT_LE(stack_->stale_pages(stack_->base() - 5 * page_size()), 16U);
  stack_->reclaim(nullptr, false);
  EXPECT_EQ(stack_->stale_pages(nullptr), 0U)
      << "the last answer of the kernel must not outlive the pages";
}

TEST_F(Stack, AShallowStrandThatWaitsIsAskedAboutMoreAndMoreRarely) {
  std::byte* live = stack_->base() - page_size() / 2;
  const auto deep_waits_until_told = [&] {
    touch(20);
    int waits = 1;
    while (!stack_->has_stale_pages_in_wait(live)) ++waits;
    stack_->reclaim(live, false);
    return waits;
  };
  EXPECT_EQ(deep_waits_until_told(), 1);
  EXPECT_EQ(deep_waits_until_told(), 1) << "a strand that goes deep is asked about each time";
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stack_->has_stale_pages_in_wait(live));
  EXPECT_LE(deep_waits_until_told(), 128);
  EXPECT_EQ(deep_waits_until_told(), 1);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stack_->has_stale_pages_in_wait(live));
  stack_->begin_strand();
  EXPECT_EQ(deep_waits_until_told(), 1) << "a new strand is another program";
}

TEST_F(Stack, AStrandThatWaitsKeepsAPage) {
  touch(1);
  EXPECT_FALSE(stack_->has_stale_pages_in_wait(stack_->base() - page_size() / 2));
}

TEST(StackMemory, MoreThanTheAddressSpaceIsRefused) {
  EXPECT_EQ(stack::map(std::size_t{1} << 55), nullptr);
}

TEST(StackMemory, AThousandStacksMapped) {
  std::vector<stack*> all;
  for (int i = 0; i < 1000; ++i) {
    stack* s = stack::map(64 << 10);
    ASSERT_NE(s, nullptr);
    all.push_back(s);
  }
  for (stack* s : all) stack::unmap(s);
}

template <std::size_t Bytes>
[[gnu::noinline]] std::size_t recurse(std::size_t depth) {
  char frame[Bytes];
  frame[0] = static_cast<char>(depth);
  asm volatile(""
               :
               : "r"(frame)
               : "memory");  // compilers otherwise keep only the one element that is used
  if (depth == 0) return 0;
  const std::size_t below = recurse<Bytes>(depth - 1);
  return below + static_cast<std::size_t>(frame[0]);
}

void expect_overflow_message(const nopal_test::ended_process& p) {
  EXPECT_FALSE(p.exited) << p;
  EXPECT_EQ(p.status, SIGABRT) << p;
  EXPECT_NE(p.errors.find("stack overflow"), std::string::npos) << p;
  EXPECT_NE(p.errors.find("NOPAL_STACK_BYTES"), std::string::npos) << p;
}

TEST(StackOverflow, SaysWhatToDo) {
  expect_overflow_message(nopal_test::in_child([] {
    nopal::runtime r({.workers = 1, .stack_bytes = 64 << 10, .caller_works = false});
    r.run([] { return recurse<100>(100000); });
    return 0;
  }));
}

TEST(StackOverflow, OfLargeFramesThatStepOverPages) {
  expect_overflow_message(nopal_test::in_child([] {
    nopal::runtime r({.workers = 1, .stack_bytes = 128 << 10, .caller_works = false});
    r.run([] { return recurse<50000>(100); });
    return 0;
  }));
}

/// Strands that wait, and have filled most of their stacks with a pattern.
class others {
 public:
  static constexpr unsigned number = 8;
  static constexpr std::size_t bytes = 700 << 10;

  void run(unsigned i) {
    std::array<char, bytes> own;
    own.fill(pattern);
    asm volatile("" : : "r"(own.data()) : "memory");
    filled_[i] = own.data();
    arrived_.signal();
    ends_[i].wait();
  }
  void wait_until_filled() { arrived_.wait(); }
  void end() {
    for (nopal::countdown& each : ends_) each.signal();
  }
  [[nodiscard]] bool are_as_they_were() const {
    return std::ranges::all_of(filled_, [](const char* p) {
      return std::all_of(p, p + bytes, [](char c) { return c == pattern; });
    });
  }

 private:
  static constexpr char pattern = 0x5a;
  std::array<const char*, number> filled_{};
  nopal::countdown arrived_{number};
  std::array<nopal::countdown, number> ends_{
      {nopal::countdown(1), nopal::countdown(1), nopal::countdown(1), nopal::countdown(1),
       nopal::countdown(1), nopal::countdown(1), nopal::countdown(1), nopal::countdown(1)}};
};

const others* found_at_abort = nullptr;

/// Runs f among the stacks of the others, and looks at these when f has ended the process.
nopal_test::ended_process run_among_others(void (*f)()) {
  return nopal_test::in_child([f] {
    static others all;
    found_at_abort = &all;
    std::signal(SIGABRT, [](int) {
      const std::string_view found = found_at_abort->are_as_they_were()
                                         ? "the other stacks are as they were\n"
                                         : "another stack was written\n";
      static_cast<void>(write(STDERR_FILENO, found.data(), found.size()) < 0);
    });
    nopal::runtime r({.workers = 1, .caller_works = false});
    r.run([f] {
      nopal::task_scope scope;
      for (unsigned i = 0; i < others::number; ++i) scope.spawn([i] { all.run(i); });
      all.wait_until_filled();
      f();
      all.end();
      scope.join();
    });
    return all.are_as_they_were() ? 0 : 3;
  });
}

void expect_no_other_stack_written(const nopal_test::ended_process& p) {
  expect_overflow_message(p);
  EXPECT_NE(p.errors.find("the other stacks are as they were"), std::string::npos) << p;
}

#define SKIP_WHERE_FRAMES_HAVE_A_SHADOW() \
  if (nopal_test::with_sanitizer)         \
  GTEST_SKIP() << "a sanitizer marks what a frame covers, here other stacks, in memory of its own"

// Without -fstack-clash-protection these write to the stack of another strand, and the program goes
// on: the stack of the root is the highest, since it was mapped first.
TEST(StackOverflow, OfALocalLargerThanTheGuard) {
  SKIP_WHERE_FRAMES_HAVE_A_SHADOW();
  expect_no_other_stack_written(run_among_others([] { recurse<std::size_t{4} << 20>(0); }));
}

TEST(StackOverflow, OfAnAllocaLargerThanTheGuard) {
  SKIP_WHERE_FRAMES_HAVE_A_SHADOW();
  expect_no_other_stack_written(run_among_others([] {
    volatile std::size_t size = std::size_t{4} << 20;
    auto* p = static_cast<volatile char*>(__builtin_alloca(size));
    p[0] = 1;
  }));
}

TEST(StackOverflow, InAStolenBranch) {
  expect_overflow_message(nopal_test::in_child([] {
    nopal::runtime r({.workers = 2, .stack_bytes = 64 << 10});
    r.run([] {
      std::atomic<bool> stolen{false};
      nopal::parallel_invoke(
          [&] {
            while (!stolen) {
            }
          },
          [&] {
            stolen = true;
            recurse<100>(100000);
          });
    });
    return 0;
  }));
}

// A fork_frame outside of a runtime has the stack of its thread, and so has a call that the thread
// runs itself.

NOPAL_FORKS int recurse_by_frames(int n) {
  if (n == 0) return 0;
  std::array<volatile char, 2000> room;
  room[static_cast<std::size_t>(n) % room.size()] = 1;
  nopal::fork_frame frame;
  int below = 0;
  frame.fork(&below, recurse_by_frames, n - 1);
  frame.join();
  return below + room[0];
}

void expect_message_about_lent_stack(const nopal_test::ended_process& p) {
  EXPECT_FALSE(p.exited) << p;
  EXPECT_EQ(p.status, SIGABRT) << p;
  EXPECT_NE(p.errors.find("ulimit -s"), std::string::npos) << p;
}

TEST(StackOverflow, OfTheMainThreadsStackByFrames) {
  expect_message_about_lent_stack(
      nopal_test::in_child([] { return recurse_by_frames(100'000'000); }));
}

TEST(StackOverflow, OfAThreadsStackByFrames) {
  expect_message_about_lent_stack(nopal_test::in_child([] {
    std::thread([] { recurse_by_frames(100'000'000); }).join();
    return 0;
  }));
}

TEST(StackOverflow, OfTheMainThreadsStackByACall) {
  expect_message_about_lent_stack(nopal_test::in_child([] {
    nopal::runtime r({.workers = 1});
    r.run([] { return recurse<100>(100'000'000); });
    return 0;
  }));
}

TEST(StackOverflow, OfAThreadsStackByACall) {
  expect_message_about_lent_stack(nopal_test::in_child([] {
    nopal::runtime r({.workers = 1});
    std::thread([&] { r.run([] { return recurse<100>(100'000'000); }); }).join();
    return 0;
  }));
}

// Not known to the compiler, which has its own opinion on such addresses.
volatile int* volatile nowhere = nullptr;

TEST(StackOverflow, AnotherFaultIsNotCalledAnOverflow) {
  for (const bool caller_works : {false, true}) {
    const auto p = nopal_test::in_child([=] {
      nopal::runtime r({.workers = 1, .caller_works = caller_works});
      r.run([] { *nowhere = 1; });
      return 0;
    });
    EXPECT_FALSE(p.ok()) << p;
    EXPECT_EQ(p.errors.find("overflow"), std::string::npos) << p;
    if (!nopal_test::with_sanitizer) {
      EXPECT_EQ(p.status, SIGSEGV) << p;
    }
  }
}

TEST(StackOverflow, DeepRecursionFitsALargeStack) {
  const auto p = nopal_test::in_child([] {
    nopal::runtime r({.workers = 1, .stack_bytes = std::size_t{64} << 20});
    return r.run([] { return recurse<1000>(10000); }) > 0 ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

// What the program itself does about SIGSEGV must have the same effect with a runtime. Each test
// runs in a child, since a process installs nopal's handler once.

volatile sig_atomic_t handled = 0;
volatile sig_atomic_t blocked_meanwhile = 0;

bool blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

void note_signal(int) {
  handled = handled + 1;
  blocked_meanwhile = (blocked(SIGUSR1) ? 1 : 0) + (blocked(SIGSEGV) ? 2 : 0);
}

void handle_segv_by(void (*handler)(int), int flags, std::initializer_list<int> mask = {}) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int signal : mask) sigaddset(&action.sa_mask, signal);
  sigaction(SIGSEGV, &action, nullptr);
}

/// As `kill -SEGV` by another process, to this very thread: what is sent to a process can be taken
/// by a worker that just starts, and this thread would go on before it is handled.
void send_segv() {
  siginfo_t info{};
  info.si_signo = SIGSEGV;
  info.si_code = SI_USER;
  info.si_pid = getpid();
  info.si_uid = getuid();
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGSEGV, &info);
}

void expect_death_by_segv(const nopal_test::ended_process& p) {
  EXPECT_FALSE(p.exited) << p;
  EXPECT_EQ(p.status, SIGSEGV) << p;
}

TEST(SegvFromOutside, EndsTheProcess) {
  expect_death_by_segv(nopal_test::in_child([] {
    handle_segv_by(SIG_DFL, 0);
    nopal::runtime r({.workers = 1});
    kill(getpid(), SIGSEGV);
    // Until the thread that took it has handled it; in_child sets an alarm.
    for (;;) pause();
    return 0;
  }));
}

TEST(SegvFromOutside, ToAWorkerEndsTheProcess) {
  for (const bool caller_works : {false, true})
    expect_death_by_segv(nopal_test::in_child([=] {
      handle_segv_by(SIG_DFL, 0);
      nopal::runtime r({.workers = 1, .caller_works = caller_works});
      r.run([] { raise(SIGSEGV); });
      return 0;
    }));
}

// The sender's number lies where that of a fault has its address.
TEST(SegvFromOutside, IsNoOverflowWhateverTheSenderIsCalled) {
  for (const bool caller_works : {false, true})
    expect_death_by_segv(nopal_test::in_child([=] {
      handle_segv_by(SIG_DFL, 0);
      nopal::runtime r({.workers = 1, .caller_works = caller_works});
      r.run([] {
        siginfo_t info{};
        info.si_signo = SIGSEGV;
        info.si_code = SI_QUEUE;
        info.si_addr =
            static_cast<std::byte*>(nopal::detail::current_stack()->sanitizer_fiber.low) - 1;
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGSEGV, &info);
      });
      return 0;
    }));
}

TEST(SegvFromOutside, IgnoredIsIgnored) {
  const auto p = nopal_test::in_child([] {
    handle_segv_by(SIG_IGN, 0);
    nopal::runtime r({.workers = 1});
    for (int i = 0; i < 3; ++i) send_segv();
    return 0;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(SegvFromOutside, AnOverflowIsFoundAfterAnIgnoredOne) {
  expect_overflow_message(nopal_test::in_child([] {
    handle_segv_by(SIG_IGN, 0);
    nopal::runtime r({.workers = 1, .stack_bytes = 64 << 10, .caller_works = false});
    send_segv();
    r.run([] { return recurse<100>(100000); });
    return 0;
  }));
}

TEST(SegvFromOutside, GoesToTheHandlerOfTheProgram) {
  const auto p = nopal_test::in_child([] {
    handle_segv_by(note_signal, 0, {SIGUSR1});
    nopal::runtime r({.workers = 1});
    for (int i = 1; i <= 3; ++i) {
      send_segv();
      if (handled != i) return 1;
      if (blocked_meanwhile != 3) return 2;
      if (blocked(SIGUSR1) || blocked(SIGSEGV)) return 3;
    }
    return 0;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(SegvFromOutside, AHandlerThatDefersNothingIsCalledSo) {
  const auto p = nopal_test::in_child([] {
    handle_segv_by(note_signal, SA_NODEFER);
    nopal::runtime r({.workers = 1});
    send_segv();
    // ThreadSanitizer calls every handler with all signals blocked.
    return handled == 1 && (nopal_test::with_tsan || blocked_meanwhile == 0) ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(SegvFromOutside, AHandlerForOneSignalIsCalledOnce) {
  expect_death_by_segv(nopal_test::in_child([] {
    handle_segv_by(note_signal, static_cast<int>(SA_RESETHAND));
    nopal::runtime r({.workers = 1});
    send_segv();
    if (handled != 1) return 1;
    send_segv();
    return 0;
  }));
}

}  // namespace
