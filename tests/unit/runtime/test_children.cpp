// SPDX-License-Identifier: Apache-2.0
// What a strand starts, a process or a thread, blocks the signals that the program blocks and may
// run on the CPUs that the program may.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"

namespace {

using nopal::runtime;
using nopal_test::in_child;

/// Shows what a process hands on. The shell becomes it, since dash clears the mask of what it
/// forks.
const std::string show = "exec grep -E '^(SigBlk|Cpus_allowed_list)' /proc/self/status";

std::string text_of(FILE* from) {
  std::string all;
  std::array<char, 256> room{};
  while (std::fgets(room.data(), room.size(), from) != nullptr) all += room.data();
  return all;
}

std::string by_popen() {
  FILE* f = popen(show.c_str(), "r");
  if (f == nullptr) return "popen failed";
  std::string text = text_of(f);
  pclose(f);
  return text;
}

/// What start(descriptor) has a process write there.
template <class Start>
std::string written(Start&& start) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "pipe failed";
  start(ends[1]);
  close(ends[1]);
  FILE* f = fdopen(ends[0], "r");
  std::string text = text_of(f);
  std::fclose(f);
  return text;
}

std::string by_system() {
  return written([](int to) {
    // The shell has a descriptor of this process only by its path.
    const std::string command =
        show + " > /proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(to);
    static_cast<void>(std::system(command.c_str()));
  });
}

std::array<const char*, 4> shell_words() { return {"sh", "-c", show.c_str(), nullptr}; }

std::string by_posix_spawn() {
  return written([](int to) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    auto words = shell_words();
    pid_t pid = -1;
    const int error = posix_spawn(&pid, "/bin/sh", &actions, nullptr,
                                  const_cast<char* const*>(words.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) waitpid(pid, nullptr, 0);
  });
}

std::string by_fork_and_exec() {
  return written([](int to) {
    auto words = shell_words();
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(to, STDOUT_FILENO);
      execv("/bin/sh", const_cast<char* const*>(words.data()));
      _exit(127);
    }
    waitpid(pid, nullptr, 0);
  });
}

std::string by_thread() {
  std::string lines;
  std::thread([&] {
    std::ifstream status("/proc/thread-self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk") || line.starts_with("Cpus_allowed_list")) lines += line + '\n';
  }).join();
  return lines;
}

struct way {
  const char* name;
  std::string (*starts)();
};
constexpr std::array ways{way{"popen", by_popen}, way{"system", by_system},
                          way{"posix_spawn", by_posix_spawn},
                          way{"fork and exec", by_fork_and_exec}, way{"std::thread", by_thread}};

/// Says on stderr, and returns false, where what is started by `here` differs from `expected`.
bool all_inherit(const char* here, const std::string& expected) {
  bool same = true;
  for (const way& w : ways) {
    const std::string got = w.starts();
    if (got == expected) continue;
    std::cerr << here << ", " << w.name << ": " << got << "instead of " << expected;
    same = false;
  }
  return same;
}

nopal::task<bool> all_inherit_as_task(std::string expected) {
  const bool before = all_inherit("task", expected);
  const bool in_blocking =
      co_await nopal::async_blocking([&] { return all_inherit("async_blocking", expected); });
  co_return before&& in_blocking;
}

/// In the calling thread, its strands, and functions of nopal::blocking.
bool all_inherit_everywhere(runtime* r) {
  const std::string expected = by_popen();
  const auto run = [r](auto&& f) { return r != nullptr ? r->run(f) : nopal::run(f); };
  bool same = all_inherit("thread", expected);
  for (int i = 0; i < 2; ++i) {
    same &= run([&] {
      bool left = false, right = false, in_blocking = false;
      nopal::parallel_invoke(
          [&] { left = all_inherit("strand", expected); },
          [&] { right = all_inherit("strand", expected); },
          [&] {
            in_blocking = nopal::blocking([&] { return all_inherit("blocking", expected); });
          });
      return left && right && in_blocking;
    });
    same &= run([&] { return all_inherit_as_task(expected); });
  }
  return same;
}

/// Everywhere on the default runtime, which starts here; the exit status.
int default_inherits(bool caller_works) {
  const nopal_test::environment_variable set("NOPAL_CALLER_WORKS", caller_works ? "1" : "0");
  return all_inherit_everywhere(nullptr) ? 0 : 1;
}

/// Where the whole process is emulated, or a sanitizer has threads of its own.
#define SKIP_WHERE_STATUS_IS_NOT_THE_THREADS_OWN()                                        \
  if (nopal_test::with_tsan || nopal_test::with_emulator)                                 \
  GTEST_SKIP() << "ThreadSanitizer and qemu-user do not support threads in a child of a " \
                  "process with threads, or keep their own signal masks"

TEST(Children, InheritWhatTheProgramHas) {
  SKIP_WHERE_STATUS_IS_NOT_THE_THREADS_OWN();
  for (const bool the_default : {false, true})
    for (const bool caller_works : {false, true}) {
      const auto p = in_child([&] {
        if (the_default) return default_inherits(caller_works);
        runtime r({.workers = 3, .caller_works = caller_works});
        return all_inherit_everywhere(&r) ? 0 : 1;
      });
      EXPECT_TRUE(p.ok()) << p;
    }
}

TEST(Children, InheritTheSignalsThatTheProgramBlocks) {
  SKIP_WHERE_STATUS_IS_NOT_THE_THREADS_OWN();
  for (const bool caller_works : {false, true}) {
    const auto p = in_child([&] {
      sigset_t some;
      sigemptyset(&some);
      for (const int signal : {SIGUSR1, SIGTERM, SIGPIPE}) sigaddset(&some, signal);
      pthread_sigmask(SIG_BLOCK, &some, nullptr);
      return default_inherits(caller_works);
    });
    EXPECT_TRUE(p.ok()) << p;
  }
}

TEST(Children, InheritTheCpusThatTheProgramHas) {
  SKIP_WHERE_STATUS_IS_NOT_THE_THREADS_OWN();
  const auto p = in_child([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 77;
    runtime r({.workers = 3, .caller_works = false});
    return all_inherit_everywhere(&r) ? 0 : 1;
  });
  if (p.exited && p.status == 77) GTEST_SKIP() << "sched_setaffinity is not permitted here";
  EXPECT_TRUE(p.ok()) << p;
}

// Bound workers hand their CPU on. The threads of nopal::blocking are no workers.
TEST(Children, OfBlockingFunctionsRunWhereTheProgramDoesThoughWorkersAreBound) {
  SKIP_WHERE_STATUS_IS_NOT_THE_THREADS_OWN();
  const auto p = in_child([] {
    const std::string expected = by_popen();
    runtime r({.workers = 2, .pin = true, .caller_works = false});
    return r.run([&] { return nopal::blocking([&] { return all_inherit("blocking", expected); }); })
               ? 0
               : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(Children, AreEndedBySigterm) {
  for (const bool in_blocking : {false, true}) {
    const auto ended_by = [] {
      pid_t pid = -1;
      std::array<const char*, 3> words{"sleep", "30", nullptr};
      if (posix_spawn(&pid, "/bin/sleep", nullptr, nullptr, const_cast<char* const*>(words.data()),
                      environ) != 0)
        return -1;
      kill(pid, SIGTERM);
      int status = 0;
      for (int i = 0; i < 2000 && waitpid(pid, &status, WNOHANG) == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (WIFSIGNALED(status)) return WTERMSIG(status);
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return 0;
    };
    runtime r({.workers = 2, .caller_works = false});
    EXPECT_EQ(r.run([&] { return in_blocking ? nopal::blocking(ended_by) : ended_by(); }), SIGTERM);
  }
}

TEST(Children, ARuntimeThatIsMadeInAStrandHasTheSameCpus) {
  const nopal_test::environment_variable unset("NOPAL_WORKERS", nullptr);
  const runtime outside;
  runtime r({.workers = 2, .caller_works = false});
  EXPECT_EQ(r.run([] { return runtime().workers(); }), outside.workers());
}

// The overflow of a stack is told even if the program blocks all signals.
TEST(Children, WorkersHandleTheirFaultsIfTheProgramBlocksAllSignals) {
  if (nopal_test::with_sanitizer) GTEST_SKIP() << "a sanitizer handles overflows itself";
  const auto p = in_child([] {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    runtime r({.workers = 1, .caller_works = false});
    r.run([] {
      std::function<int(int)> deep = [&](int n) {
        std::array<volatile char, 1000> room{};
        room[static_cast<std::size_t>(n) % room.size()] = 1;
        return deep(n + 1) + room[0];
      };
      return deep(0);
    });
    return 0;
  });
  EXPECT_NE(p.errors.find("NOPAL_STACK_BYTES"), std::string::npos) << p;
}

}  // namespace
