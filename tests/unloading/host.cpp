// SPDX-License-Identifier: Apache-2.0
// Loads a plugin that contains nopal, uses and unloads it, often: nothing is left, and nothing
// grows. The host knows nothing of nopal. Usage: host PLUGIN TIMES [OTHER_PLUGIN]
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

long entries(const char* folder) {
  return static_cast<long>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

constexpr long own_threads = 2;  ///< The main thread, and other_thread.
constexpr long any_threads = 1000;

/// Waits until `expected` are left: the system may know a thread that has been joined for a moment
/// more.
long threads(long expected = own_threads) {
  long n = entries("/proc/self/task");
  for (int i = 0; i < 1000 && n > expected; ++i) {
    usleep(1000);
    n = entries("/proc/self/task");
  }
  return n;
}

struct usage {
  long threads = 0, descriptors = 0, mappings = 0, kilobytes = 0;
};

usage now(long expected_threads) {
  usage u{threads(expected_threads), entries("/proc/self/fd"), 0, 0};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++u.mappings;
  long pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  u.kilobytes = pages * sysconf(_SC_PAGESIZE) / 1024;
  return u;
}

class plugin {
 public:
  explicit plugin(const char* path) : path_(path), handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail(dlerror());
  }
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;
  void use() {
    if (const int part = function<int()>("use_plugin")(); part != 0)
      fail("part " + std::to_string(part) + " is wrong");
  }
  template <class F>
  F* function(const char* name) {
    const auto f = reinterpret_cast<F*>(dlsym(handle_, name));
    if (f == nullptr) fail(std::string("the plugin has no ") + name);
    return f;
  }
  void unload() {
    close();
    if (dlopen(path_, RTLD_NOW | RTLD_NOLOAD) != nullptr) fail("the plugin is still there");
  }
  /// In a place where it may stay loaded.
  void close() {
    if (dlclose(handle_) != 0) fail(dlerror());
  }

 private:
  const char* path_;
  void* handle_;
};

/// A thread of the host's, which does what it is told, one after the other, and stays.
class other_thread {
 public:
  other_thread() : thread_([this] { serve(); }) {}
  ~other_thread() {
    tell(nullptr);
    thread_.join();
  }
  void run(const std::function<void()>& f) {
    tell(&f);
    std::unique_lock l(mutex_);
    changed_.wait(l, [this] { return job_ == nullptr; });
  }

 private:
  void tell(const std::function<void()>* f) {
    const std::lock_guard l(mutex_);
    job_ = f;
    ended_ = f == nullptr;
    changed_.notify_all();
  }
  void serve() {
    std::unique_lock l(mutex_);
    for (;;) {
      changed_.wait(l, [this] { return job_ != nullptr || ended_; });
      if (ended_) return;
      (*job_)();
      job_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  bool ended_ = false;
  std::thread thread_;
};

volatile sig_atomic_t handled = 0;

void on_fault(int) { handled = handled + 1; }
void on_fault_too(int) {}

using handler = void (*)(int);

void handle_faults_by(handler h) {
  struct sigaction a{};
  a.sa_handler = h;
  sigaction(SIGSEGV, &a, nullptr);
}

void expect_faults_handled_by(handler h, const char* when) {
  struct sigaction a{};
  sigaction(SIGSEGV, nullptr, &a);
  if ((a.sa_flags & SA_SIGINFO) != 0 || a.sa_handler != h)
    fail(std::string("another handler of SIGSEGV is left ") + when);
}

void load_and_unload(const char* path, int round, other_thread& other) {
  // The host's own handler: the default, one that was there before, one that came meanwhile.
  const handler before = round % 3 == 1 ? on_fault : SIG_DFL;
  handle_faults_by(before);
  plugin p(path);
  p.use();
  other.run([&] { p.use(); });
  std::thread([&] { p.use(); }).join();
  if (round % 3 == 2) handle_faults_by(on_fault_too);
  p.unload();
  if (round % 3 == 2)
    expect_faults_handled_by(on_fault_too, "after one that was set meanwhile");
  else
    expect_faults_handled_by(before, "in the place of that from before");
  if (threads() != own_threads) fail("a thread is left");
}

void stay_loaded(const char* path, other_thread& other) {
  plugin p(path);
  p.use();
  other.run([&] { p.use(); });
  p.close();
}

/// The plugin that was there first may be the first to go, or the last.
void load_two(const char* first, const char* second, bool first_goes_first, other_thread& other) {
  handle_faults_by(on_fault);
  plugin one(first);
  one.use();
  plugin two(second);
  two.use();
  other.run([&] {
    one.use();
    two.use();
  });
  plugin& leaves = first_goes_first ? one : two;
  plugin& stays = first_goes_first ? two : one;
  leaves.unload();
  stays.use();
  // A signal from outside is for the host's handler, through that of the plugin which is there.
  handled = 0;
  raise(SIGSEGV);
  if (handled != 1) fail("the handler of the host is not called");
  stays.unload();
  expect_faults_handled_by(on_fault, "after two plugins");
  if (threads() != own_threads) fail("a thread is left");
}

void repeat(int times, long expected_threads, const std::function<void(int)>& f) {
  const int at_first = std::min(times / 2, 20);
  for (int i = 0; i < at_first; ++i) f(i);
  const usage before = now(expected_threads);
  for (int i = at_first; i < times; ++i) f(i);
  const usage after = now(std::min(expected_threads, before.threads));
  std::printf(
      "after %d times and %d: threads %ld and %ld, descriptors %ld and %ld, mappings %ld "
      "and %ld, kB in memory %ld and %ld\n",
      at_first, times, before.threads, after.threads, before.descriptors, after.descriptors,
      before.mappings, after.mappings, before.kilobytes, after.kilobytes);
  // The C library keeps stacks and heaps of threads for others. How many depends on who comes when.
  constexpr long few_mappings = 10;
  constexpr long few_kilobytes = 4096;
  if (after.threads > before.threads) fail("threads are left");
  if (after.descriptors > before.descriptors) fail("descriptors are left");
  if (after.mappings > before.mappings + few_mappings) fail("mappings are left");
  if (after.kilobytes > before.kilobytes + few_kilobytes) fail("memory is left");
}

/// What a static runtime still runs at dlclose(3) is waited for.
void leave_function(const char* path) {
  std::atomic<int> ended{0};
  plugin p(path);
  p.function<void(std::atomic<int>*)>("leave_function")(&ended);
  p.unload();
  if (ended != 1) fail("the function has not been waited for");
}

plugin* closed_by_itself = nullptr;
void close_plugin() { closed_by_itself->close(); }

/// A process of its own does what no plugin may, and ends with a message.
void expect_message(const char* message, const std::function<void()>& f) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) fail("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 256> part{};
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child) fail("the process is not there");
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT ||
      said.find(message) == std::string::npos)
    fail("status " + std::to_string(status) + ", and not the message \"" + message + "\": " + said);
}

void expect_messages(const char* path) {
  expect_message("is unloaded while a nopal::runtime of it lives", [=] {
    plugin p(path);
    p.function<void()>("leave_runtime")();
    p.close();
  });
  for (const char* runner : {"call_in_strand", "call_in_helper"})
    expect_message("is unloaded by a function that its own workers run", [=] {
      plugin p(path);
      closed_by_itself = &p;
      p.function<void(void (*)())>(runner)(close_plugin);
    });
}

struct holder {
  ~holder() {
    if (held == nullptr) return;
    held->unload();
    usleep(20'000);  // for a thread that would go on in it
    std::puts("unloaded at exit");
  }
  plugin* held = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string what = argv[1];
  const char* const path = argv[2];
  const int times = std::atoi(argv[3]);
  if (what == "at_exit") {
    static holder at_exit;
    at_exit.held = new plugin(path);
    at_exit.held->use();
    return 0;
  }
  if (what == "messages") {
    expect_messages(path);
    return 0;
  }
  other_thread other;
  if (what == "unloaded")
    repeat(times, own_threads, [&](int i) { load_and_unload(path, i, other); });
  else if (what == "kept")
    repeat(times, any_threads, [&](int) { stay_loaded(path, other); });
  else if (what == "waited_for")
    repeat(times, own_threads, [&](int) { leave_function(path); });
  else if (what == "two" && argc > 4)
    repeat(times, own_threads, [&](int i) { load_two(path, argv[4], i % 2 == 0, other); });
  else
    return 2;
  return 0;
}
