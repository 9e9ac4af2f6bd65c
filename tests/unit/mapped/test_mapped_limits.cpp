// SPDX-License-Identifier: Apache-2.0
// What does not work in a mapped runtime, and what the program is told then. Each program that ends
// runs as a process of its own: this one, which runs the test that NOPAL_TEST_PROGRAM names.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "nopal/async/task_scope.hpp"
#include "nopal/mapped.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/task.hpp"

namespace {

using nopal::parallel_invoke;

constexpr nopal::options two{.workers = 2};

/// Both branches run at once, on two workers.
template <class F, class G>
void at_once(F f, G g) {
  std::atomic<int> missing{2};
  const auto meet = [&] {
    --missing;
    while (missing.load() != 0) sched_yield();
  };
  parallel_invoke([&] { meet(), f(); }, [&] { meet(), g(); });
}

NOPAL_NOINLINE int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return recurse(depth + 1) + frame[0];
}

nopal::task<int> tree(int depth) {
  if (depth == 0) co_return 1;
  int a;
  int b;
  co_await nopal::fork(&a, tree, depth - 1);
  co_await nopal::call(&b, tree, depth - 1);
  co_await nopal::join();
  co_return a + b;
}

/// Programs that end before they return.
const std::map<std::string, std::function<void()>> programs = {
    {"killed",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] { at_once([] { raise(SIGKILL); }, [] { pause(); }); });
     }},
    {"aborts",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] { at_once([] { std::abort(); }, [] { pause(); }); });
     }},
    {"exits",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] { at_once([] { _exit(7); }, [] { pause(); }); });
     }},
    {"exits_with_success",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] { at_once([] { _exit(0); }, [] { pause(); }); });
     }},
    {"main_is_killed",
     [] {
       nopal::mapped::runtime r(two);
       std::printf("%d %d\n", r.process(0), r.process(1));
       std::fflush(stdout);
       raise(SIGKILL);
     }},
    {"overflow",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] { at_once([] { recurse(0); }, [] { pause(); }); });
     }},
    {"prints",
     [] {
       std::printf("first\n");
       nopal::mapped::runtime r(two);
       for (int i = 0; i < 3; ++i) {
         std::printf("main\n");
         r.run([] { std::printf("worker\n"); });
       }
       std::printf("last\n");
       std::exit(0);
     }},
    {"spawns",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] {
         nopal::task_scope scope;
         scope.spawn([] {});
         scope.join();
       });
     }},
    {"waits",
     [] {
       nopal::mapped::runtime r(two);
       r.run([] {
         nopal::flag set;
         at_once([&] { set.wait(); },
                 [&] {
                   usleep(50'000);  // the other one waits by now
                   set.set();
                 });
       });
     }},
    {"tasks",
     [] {
       nopal::mapped::runtime r(two);
       for (;;) r.run([] { return nopal::wait(tree(14)); });
     }},
};

struct outcome {
  std::string output;
  int status = -1;
};

/// By the shell, which says for a signal what the status of a program killed by one is.
outcome run(const std::string& program) {
  outcome o;
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return o;
  const std::string command = "ulimit -c 0; NOPAL_TEST_PROGRAM=" + program + " timeout 60 '" +
                              path.data() + "' 2>&1; echo \"status $?\"";
  std::FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) return o;
  std::array<char, 1024> line;
  while (std::fgets(line.data(), line.size(), out) != nullptr) {
    o.output += line.data();
    static_cast<void>(std::sscanf(line.data(), "status %d", &o.status));
  }
  pclose(out);
  return o;
}

bool says(const outcome& o, const char* what) { return o.output.find(what) != std::string::npos; }

/// One that has ended may still wait for its parent to ask.
bool lives(int process) {
  std::FILE* state = std::fopen(("/proc/" + std::to_string(process) + "/stat").c_str(), "re");
  if (state == nullptr) return false;
  char letter = 'Z';
  const bool known = std::fscanf(state, "%*d (%*[^)]) %c", &letter) == 1;
  std::fclose(state);
  return known && letter != 'Z' && letter != 'X';
}

TEST(MappedEnds, AWorkerIsKilled) {
  const outcome o = run("killed");
  EXPECT_EQ(o.status, 128 + SIGKILL) << o.output;
  EXPECT_TRUE(says(o, "was ended by signal 9")) << o.output;
}

TEST(MappedEnds, AWorkerAborts) {
  const outcome o = run("aborts");
  EXPECT_EQ(o.status, 128 + SIGABRT) << o.output;
  EXPECT_TRUE(says(o, "was ended by signal 6")) << o.output;
}

TEST(MappedEnds, AWorkerExits) {
  const outcome o = run("exits");
  EXPECT_EQ(o.status, 7) << o.output;
  EXPECT_TRUE(says(o, "has called exit, status 7")) << o.output;
  const outcome zero = run("exits_with_success");
  EXPECT_EQ(zero.status, 0) << zero.output;
  EXPECT_TRUE(says(zero, "has called exit, status 0")) << zero.output;
}

TEST(MappedEnds, TheWorkersEndWithTheMainProcess) {
  const outcome o = run("main_is_killed");
  int first = 0;
  int second = 0;
  ASSERT_EQ(std::sscanf(o.output.c_str(), "%d %d", &first, &second), 2) << o.output;
  for (int i = 0; i < 5000 && (lives(first) || lives(second)); ++i) usleep(1000);
  EXPECT_FALSE(lives(first));
  EXPECT_FALSE(lives(second));
}

TEST(MappedEnds, LinesOfStdoutComeInOrder) {
  EXPECT_EQ(run("prints").output,
            "first\nmain\nworker\nmain\nworker\nmain\nworker\nlast\nstatus 0\n");
}

TEST(MappedEnds, StackOverflow) {
  const outcome o = run("overflow");
  EXPECT_EQ(o.status, 128 + SIGABRT) << o.output;
  EXPECT_TRUE(says(o, "stack overflow: a strand needs more than its stack has")) << o.output;
}

TEST(MappedEnds, WhatSpawnsIsRefused) {
  const outcome o = run("spawns");
  EXPECT_EQ(o.status, 128 + SIGABRT) << o.output;
  EXPECT_TRUE(says(o, "does not work in a nopal::mapped::runtime")) << o.output;
}

TEST(MappedEnds, AWaitForSomethingElseThanAJoinIsRefused) {
  const outcome o = run("waits");
  EXPECT_EQ(o.status, 128 + SIGABRT) << o.output;
  EXPECT_TRUE(says(o, "a wait for something else than a join")) << o.output;
  EXPECT_TRUE(says(o, "does not work in a nopal::mapped::runtime")) << o.output;
}

TEST(MappedEnds, ATaskThatIsStolenIsRefused) {
  const outcome o = run("tasks");
  EXPECT_EQ(o.status, 128 + SIGABRT) << o.output;
  EXPECT_TRUE(says(o, "does not work in a nopal::mapped::runtime")) << o.output;
}

// What is refused and goes on.

class MappedRefused : public testing::Test {
 protected:
  /// Runs f on a worker, and in the main process; in both it is to set errno.
  template <class F>
  void everywhere(F&& f, int error = ENOTSUP) {
    const auto error_of = [&] {
      errno = 0;
      EXPECT_TRUE(f());
      return errno;
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(r.run(error_of), error);
    EXPECT_EQ(error_of(), error);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(" is refused while "), std::string::npos);
  }

  nopal::mapped::runtime r{two};
};

TEST_F(MappedRefused, FilesAreNotMapped) {
  const int file = memfd_create("file", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  everywhere([&] { return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED; });
  close(file);
}

TEST_F(MappedRefused, ProtectionIsNotChanged) {
  void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  everywhere([&] { return mprotect(p, 4096, PROT_READ) == -1; });
  everywhere([&] { return mremap(p, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED; });
  munmap(p, 4096);
}

TEST_F(MappedRefused, TheHeapIsMimallocsAlone) {
  everywhere([] { return brk(nullptr) == -1; });
  everywhere([] { return sbrk(4096) == MAP_FAILED; });
}

TEST_F(MappedRefused, LibrariesAreNotLoaded) {
  everywhere([] { return dlopen("libm.so.6", RTLD_NOW) == nullptr; });
}

TEST_F(MappedRefused, ProcessesAreNotForked) {
  everywhere([] { return fork() == -1; });
}

TEST_F(MappedRefused, ThreadsAreNotStarted) {
  everywhere([] {
    pthread_t t;
    return pthread_create(&t, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == EAGAIN;
  });
}

TEST_F(MappedRefused, AnonymousMemoryIsMappedEverywhere) {
  char* p = r.run([] {
    void* at = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(at, 3, 1 << 20);
    return static_cast<char*>(at);
  });
  EXPECT_EQ(p[(1 << 20) - 1], 3);
  EXPECT_EQ(r.run([&] { return munmap(p, 1 << 20); }), 0);
  EXPECT_EQ(p[0], 0);
}

TEST_F(MappedRefused, ProgramsCanBeStarted) {
  EXPECT_EQ(r.run([] { return std::system("exit 3"); }), 3 << 8);
  EXPECT_EQ(std::system("exit 3"), 3 << 8);
}

TEST_F(MappedRefused, DescriptorsAreShared) {
  std::array<int, 2> ends{};
  r.run([&] {
    at_once([] {},
            [&] {
              if (pipe(ends.data()) != 0) std::abort();
            });
  });
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  char c = 0;
  EXPECT_EQ(r.run([&] { return read(ends[0], &c, 1); }), 1);
  EXPECT_EQ(c, 'x');
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* program = std::getenv("NOPAL_TEST_PROGRAM")) {
    programs.at(program)();
    return 99;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
