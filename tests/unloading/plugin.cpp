// SPDX-License-Identifier: Apache-2.0
// A plugin that contains nopal, and uses each component.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "nopal/nopal.hpp"

namespace {

using namespace std::chrono_literals;

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      nopal::parallel_invoke([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

NOPAL_FORKS long fib_by_frames(int n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, fib_by_frames, n - 1);
  const long b = fib_by_frames(n - 2);
  frame.join();
  return a + b;
}

nopal::task<long> fib_as_task(int n) {
  if (n < 2) co_return n;
  long a = 0, b = 0;
  co_await nopal::fork(&a, fib_as_task, n - 1);
  co_await nopal::call(&b, fib_as_task, n - 2);
  co_await nopal::join();
  co_return a + b;
}

}  // namespace

/// Seen from other files, and with it what nopal makes of it: nothing of that may keep the plugin.
struct fib_of {
  long operator()() const { return fib(n); }
  int n;
};

namespace {

bool more_than_two() {
  const auto [a, b, c] = nopal::parallel_invoke(fib_of{8}, fib_of{9}, fib_of{10});
  return a == 21 && b == 34 && c == 55;
}

bool forks() {
  return nopal::run(fib, 15) == 610 && fib(15) == 610 && fib_by_frames(15) == 610 &&
         nopal::run(fib_as_task, 12) == 144 && nopal::wait(fib_as_task(12)) == 144;
}

bool algorithms() {
  std::vector<long> v(1000);
  std::iota(v.begin(), v.end(), 0L);
  nopal::for_each(v, [](long& x) { x *= 2; });
  nopal::reducer<nopal::monoid::add<long>> sum;
  nopal::for_each(0, 1000, [&](int i) { sum += v[static_cast<std::size_t>(i)]; });
  nopal::run([&] { nopal::for_each(v, [&](long x) { sum += x; }); });
  std::vector<long> sums(v.size());
  nopal::scan(nopal::deterministic, v, sums.begin(), std::plus{});
  std::vector<double> halves(v.size());
  nopal::map(v, halves.begin(), [](long x) { return static_cast<double>(x) / 2; });
  return sum.get_value() == 2 * 999000 && sums.back() == 999000 &&
         nopal::fold(halves, 0.0, std::plus{}) == 499500;
}

bool scopes_and_claims() {
  nopal::runtime own({.workers = 2});
  std::atomic<int> ran{0};
  nopal::countdown last(1);
  nopal::worker_local<int> counts;
  nopal::task_scope s(own);
  for (int i = 0; i < 20; ++i) s.spawn([&] { ++ran; });
  auto answer = s.async([] { return 42; });
  s.join();
  own.spawn_detached([&] { last.signal(); });
  last.wait();
  nopal::claim one = own.claim({.at_least = 1, .at_most = 1});
  nopal::task_scope of_default;
  of_default.spawn([&] { ++ran; });
  of_default.join();
  return answer.get() == 42 && ran == 21 && one.run(fib, 10) == 55;
}

bool pools() {
  nopal::pool<int> p({.producers = 1, .consumers = 1});
  auto out = p.consumer();
  int sum = 0;
  {
    auto in = p.producer();
    for (int i = 0; i < 100; ++i) in.put(i);
    p.close();
  }
  for (const int x : out.all()) sum += x;
  return sum == 4950;
}

bool transactions() {
  namespace stm = nopal::stm;
  static stm::var<long> total(0);  // as the plugin's own data, it ends with the plugin
  const long before = stm::atomically([&](stm::transaction& t) { return t.get(total); });
  nopal::for_each(0, 100, [&](int) {
    stm::atomically([&](stm::transaction& t) { t.set(total, t.get(total) + 1); });
  });
  return stm::atomically([&](stm::transaction& t) { return t.get(total); }) == before + 100;
}

/// Calls that wait: for events, for timers, on helper threads.
bool waits() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return false;
  std::array<std::byte, 1> got{};
  int answer = 0;
  nopal::run([&] {
    nopal::parallel_invoke([&] { nopal::io::read(ends[0], got); },
                           [&] {
                             nopal::io::sleep_for(1ms);
                             const std::array one{std::byte('x')};
                             nopal::io::write(ends[1], one);
                           },
                           [&] { answer = nopal::blocking([] { return 7; }); });
  });
  nopal::io::sleep_for(1ms);
  close(ends[0]);
  close(ends[1]);
  return got[0] == std::byte('x') && answer == 7;
}

/// Its destructor runs when dlclose(3) does, and starts the default runtime once more.
struct last_use {
  ~last_use() {
    if (used && fib(10) != 55) _exit(3);
    if (used && nopal::run([] { return nopal::blocking([] { return fib(5); }); }) != 5) _exit(4);
  }
  bool used = false;
} at_the_end;

}  // namespace

/// Returns the number of the first component that does not work, or 0.
extern "C" [[gnu::visibility("default")]] int use_plugin() {
  at_the_end.used = true;
  int n = 0;
  for (bool (*part)() :
       {forks, more_than_two, algorithms, scopes_and_claims, pools, transactions, waits}) {
    ++n;
    if (!part()) return n;
  }
  return 0;
}

// What must not, or need not, have ended before dlclose(3).

/// Nobody destroys it.
extern "C" [[gnu::visibility("default")]] void leave_runtime() {
  auto* const r = new nopal::runtime({.workers = 1});
  r->run([] {});
}

/// The destructor of a static object waits for it.
extern "C" [[gnu::visibility("default")]] void leave_function(std::atomic<int>* ended) {
  static nopal::runtime own({.workers = 1});
  own.spawn_detached([=] {
    nopal::io::sleep_for(20ms);
    ++*ended;
  });
}

/// The host's function may close the plugin.
extern "C" [[gnu::visibility("default")]] void call_in_strand(void (*f)()) { nopal::run(f); }
extern "C" [[gnu::visibility("default")]] void call_in_helper(void (*f)()) {
  nopal::run([f] { nopal::blocking(f); });
}
