// SPDX-License-Identifier: Apache-2.0
// A runtime where the system gives less than it would like.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"

namespace {

using nopal::runtime;
using nopal::detail::machine;
using nopal::detail::owned_scheduler;
using nopal::detail::scheduler;
using nopal_test::in_child;
using nopal_test::run_in;

constexpr nopal_test::tree_shape shape{};

std::uint64_t right_sum(std::uint64_t seed) {
  return nopal_test::run_tree_serially(seed, shape.depth, shape);
}
std::uint64_t sum(std::uint64_t seed) { return nopal_test::run_tree(seed, shape.depth, shape); }

void limit_address_space(std::size_t more_bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more_bytes,
                     RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

#define SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED()                  \
  if (nopal_test::with_sanitizer)                                     \
    GTEST_SKIP() << "a sanitizer needs the address space for itself"; \
  if (nopal_test::with_emulator) GTEST_SKIP() << "qemu-user ignores RLIMIT_AS"

TEST(RuntimeLimits, AffinityMaskBoundsTheWorkers) {
  if (nopal_test::with_tsan || nopal_test::with_emulator)
    GTEST_SKIP() << "a thread of ThreadSanitizer or of the emulator belongs to the process and "
                    "keeps all CPUs";
  const auto p = in_child([] {
    const nopal_test::environment_variable unset("NOPAL_WORKERS", nullptr);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(sched_getcpu(), &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) return 77;
    runtime r;
    if (r.workers() != 1) return 1;
    runtime two({.workers = 2, .caller_works = false});
    for (runtime* which : {&r, &two})
      for (int i = 0; i < 20; ++i) {
        cpu_set_t got;
        which->run([&] { pthread_getaffinity_np(pthread_self(), sizeof got, &got); });
        if (!CPU_EQUAL(&got, &mask)) return 2;
      }
    return 0;
  });
  if (p.exited && p.status == 77) GTEST_SKIP() << "sched_setaffinity is not permitted here";
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, BoundToOneCpuOnRequestOnly) {
  if (nopal_test::with_emulator) GTEST_SKIP() << "qemu-user shows the masks of its own threads";
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  for (const bool pin : {false, true}) {
    runtime r({.workers = 2, .pin = pin, .caller_works = false});
    cpu_set_t got;
    r.run([&] { pthread_getaffinity_np(pthread_self(), sizeof got, &got); });
    EXPECT_EQ(CPU_COUNT(&got), pin ? 1 : CPU_COUNT(&mask));
    EXPECT_EQ(r.stats().unpinned, 0U);
  }
}

TEST(RuntimeLimits, ThreadsThatCannotBeStartedAreAnError) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    limit_address_space(std::size_t{100} << 20);
    try {
      runtime r({.workers = 1000});
    } catch (const std::system_error& e) {
      const std::string message = e.what();
      if (message.find("1000") == std::string::npos ||
          message.find("NOPAL_WORKERS") == std::string::npos)
        return 1;
      runtime few({.workers = 2});  // what had been started is gone again
      return few.run([] { return 0; });
    }
    return 2;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, NoMemoryForAThreadIsAnError) {
  for (const unsigned limit : {0U, 1U, 3U})
    EXPECT_THROW(owned_scheduler({.workers = 4}, machine{.thread_limit = limit}), std::bad_alloc);
}

TEST(RuntimeLimits, OneWorkerThatCannotBeStartedIsNotAskedToBeFewer) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    // A strand's stack, and less than a thread needs, whose stack may not be one that has ended.
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 30);
    pthread_setattr_default_np(&large);
    limit_address_space(std::size_t{100} << 20);
    try {
      runtime r({.workers = 1});
    } catch (const std::system_error& e) {
      const std::string message = e.what();
      if (message.find("the thread of the one worker cannot be started") == message.npos) return 1;
      return message.find("fewer") == message.npos ? 0 : 2;
    }
    return 3;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, ARuntimeThatItsOwnWorkerDestroysSaysSo) {
  const auto p = in_child([] {
    auto* r = new runtime({.workers = 2});
    r->run([&] { delete r; });
    return 0;
  });
  EXPECT_FALSE(p.exited) << p;
  EXPECT_EQ(p.status, SIGABRT) << p;
  EXPECT_NE(p.errors.find("destroyed by one of its own workers"), std::string::npos) << p;
}

TEST(RuntimeLimits, FewStacks) {
  for (const std::size_t limit : {1U, 2U, 3U})
    for (const bool caller_works : {false, true}) {
      owned_scheduler s({.workers = 4, .caller_works = caller_works},
                        machine{.stack_limit = limit});
      for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(run_in(s, [&] { return sum(seed); }), right_sum(seed))
            << limit << " stacks, seed " << seed;
      EXPECT_LE(s.stats().total.stacks_mapped, limit);
    }
}

// The one stack is held by a strand that waits for another runtime; it needs no other to come back.
TEST(RuntimeLimits, AStrandComesBackWhereThereIsNoStackLeft) {
  owned_scheduler a({.workers = 2, .caller_works = false}, machine{.stack_limit = 1});
  owned_scheduler b({.workers = 1});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run_in(a, [&] { return run_in(b, [] { return 1; }); }), 1);
}

TEST(RuntimeLimits, OutOfAddressSpace) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    // The stack of this thread is smaller, so that a worker runs the call.
    runtime r({.workers = 4, .stack_bytes = std::size_t{64} << 20});
    r.run([] {});
    limit_address_space(std::size_t{150} << 20);
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
      if (r.run([&] { return sum(seed); }) != right_sum(seed)) return 1;
    return r.stats().total.stacks_mapped <= 8 ? 0 : 2;
  });
  EXPECT_TRUE(p.ok()) << p;
}

// It spun for ever, and said nothing.
TEST(RuntimeLimits, WithoutMemoryForAFirstStackARuntimeThrows) {
  EXPECT_THROW(owned_scheduler({.workers = 2}, machine{.stack_limit = 0}), std::bad_alloc);
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    limit_address_space(std::size_t{500} << 20);
    try {
      runtime r({.workers = 2, .stack_bytes = std::size_t{1} << 30});
      r.run([] {});
    } catch (const std::bad_alloc& e) {
      const std::string message = e.what();
      if (message.find("1073741824") == message.npos) return 1;
      if (message.find("NOPAL_STACK_BYTES") == message.npos) return 2;
      return runtime({.workers = 2}).run([] { return 0; });
    }
    return 3;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, WithoutMemoryForAFirstStackTheDefaultRuntimeThrows) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    limit_address_space(std::size_t{512} << 10);
    for (int i = 0; i < 3; ++i) {
      try {
        nopal::run([] {});
        return 1;
      } catch (const std::bad_alloc&) {
      }
    }
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
    return nopal::run([] { return 0; });
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, WithoutMemoryForItsFirstStackAClaimThrows) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    runtime r({.workers = 2, .stack_bytes = std::size_t{64} << 20});
    r.run([] {});
    limit_address_space(std::size_t{1} << 20);
    try {
      const auto c = r.claim({});
      return 1;
    } catch (const std::bad_alloc&) {
    }
    return r.run([] { return 0; });
  });
  EXPECT_TRUE(p.ok()) << p;
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The strand that holds the only stack waits for what a thread does later. A call that comes
// meanwhile has no stack: the workers say so once, and sleep.
TEST(RuntimeLimits, WithoutAStackToGoOnWorkersSaySoOnceAndSleep) {
  const auto p = in_child([] {
    owned_scheduler s({.workers = 3, .caller_works = false}, machine{.stack_limit = 1});
    nopal::countdown later(1);
    std::atomic<bool> holds_the_stack{false};
    std::thread waits([&] {
      run_in(s, [&] {
        holds_the_stack = true;
        later.wait();
      });
    });
    while (!holds_the_stack) std::this_thread::yield();
    std::thread comes([&] { run_in(s, [] {}); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(2));
    const double took = cpu_seconds() - before;
    later.signal();
    waits.join();
    comes.join();
    return took < 0.2 || nopal_test::with_tsan ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
  const std::string said = "there is no memory for one";
  const auto first = p.errors.find(said);
  EXPECT_NE(first, std::string::npos) << p;
  EXPECT_EQ(p.errors.find(said, first + 1), std::string::npos) << p;
  EXPECT_NE(p.errors.find("hold 1 stacks of 1048576 bytes"), std::string::npos) << p;
}

// Nobody wakes a worker because there is memory again.
TEST(RuntimeLimits, WorkersGoOnWhenThereIsMemoryAgain) {
  SKIP_WHERE_ADDRESS_SPACE_CANNOT_BE_LIMITED();
  const auto p = in_child([] {
    runtime r({.workers = 2, .stack_bytes = std::size_t{64} << 20});
    r.run([] {});
    constexpr int more_than_stacks = 5;
    std::array<nopal::countdown, more_than_stacks> ends;
    std::atomic<int> begun{0};
    std::atomic<bool> limited{false};
    std::vector<std::thread> callers;
    for (nopal::countdown& end : ends) {
      end.add(1);
      callers.emplace_back([&] {
        limited.wait(false);
        r.run([&] {
          ++begun;
          end.wait();
        });
      });
    }
    limit_address_space(std::size_t{1} << 20);
    limited = true;
    limited.notify_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const int with_few_stacks = begun;
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
    while (begun != more_than_stacks) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (nopal::countdown& end : ends) end.signal();
    for (std::thread& t : callers) t.join();
    return with_few_stacks < more_than_stacks ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, KernelWithoutMembarrier) {
  const auto p = in_child([] {
    for (const bool caller_works : {false, true}) {
      owned_scheduler s({.workers = 4, .caller_works = caller_works}, machine{.membarrier = false});
      if (s.stats().asymmetric_fences) return 1;
      for (std::uint64_t seed = 1; seed <= 30; ++seed)
        if (run_in(s, [&] { return sum(seed); }) != right_sum(seed)) return 2;
    }
    return 0;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(RuntimeLimits, SyntheticMachineOfManyGroups) {
  for (const bool caller_works : {false, true}) {
    owned_scheduler s({.workers = 16, .caller_works = caller_works},
                      machine{.synthetic_topology = "numa:8 core:2 pu:1"});
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(s.worker_at(i).group, i / 2);
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      EXPECT_EQ(run_in(s, [&] { return sum(seed); }), right_sum(seed));
  }
}

TEST(RuntimeLimits, AnIdleRuntimeTakesNoTime) {
  if (nopal_test::with_tsan) GTEST_SKIP() << "ThreadSanitizer's own thread takes time";
  runtime r({.workers = 4});
  r.run([] { return sum(1); });
  // Its workers search for a while first, for long on a machine with other work.
  double taken = 1;
  for (int i = 0; i < 20 && taken >= 0.005; ++i) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    taken = cpu_seconds() - before;
  }
  EXPECT_LT(taken, 0.005);
}

TEST(RuntimeLimits, EndWaitsForWhoCameBeforeAndRefusesWhoComesLater) {
  owned_scheduler s({.workers = 2});
  ASSERT_TRUE(s.started_unless_ended());
  std::atomic<bool> ended{false};
  std::thread ending([&] {
    s.end();
    ended = true;
  });
  while (s.started_unless_ended()) s.finished();
  EXPECT_EQ(run_in(s, [] { return right_sum(1) == sum(1); }), true) << "who is in may still call";
  EXPECT_FALSE(ended);
  s.finished();
  ending.join();
  EXPECT_FALSE(s.started_unless_ended());
}

}  // namespace
