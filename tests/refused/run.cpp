// SPDX-License-Identifier: Apache-2.0
// Wrong calls of what runs a function on workers; see check_calls.py.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

struct fixed {
  fixed() = default;
  fixed(fixed&&) = delete;
};

struct object {
  int act(int n) { return n; }
};

int twice(int n, int times = 2) { return times * n; }
int overloaded(int n) { return n; }
double overloaded(double x) { return x; }
void change(int& n) { ++n; }
nopal::task<int> some_task(int n) { co_return n; }

int main() {
  nopal::runtime r({.workers = 1});
  nopal::task_scope scope;
  int n = 0;
#if NOPAL_REFUSED == 0
  r.run([](int x) { return x; }, 1);
  nopal::run([](int x) { return twice(x); }, 1);
  nopal::run(some_task, 1);
  nopal::wait(some_task(1));
  nopal::run(change, n);
  scope.spawn(change, std::ref(n));
  scope.spawn(nopal::near(0), some_task, 1);
  static_cast<void>(
      scope.async([](std::unique_ptr<int> p) { return *p; }, std::make_unique<int>(1)));
  r.spawn_detached(some_task, 1);
  nopal::blocking([&] { ++n; });
#elif NOPAL_REFUSED == 1
  // says: nopal: the function cannot be called with these arguments
  r.run([](int x) { return x; });
#elif NOPAL_REFUSED == 2
  // says: nopal: the function cannot be called with these arguments
  nopal::run(twice, 3);
#elif NOPAL_REFUSED == 3
  // says: nopal: the function cannot be called with these arguments
  nopal::run([](const std::string& s) { return s; }, 3);
#elif NOPAL_REFUSED == 4
  // says: a task is given where a function is meant
  nopal::run(some_task(1));
#elif NOPAL_REFUSED == 5
  // says: overloaded function with no contextual type information || one_function_comes_first
  nopal::run(overloaded, 1);
#elif NOPAL_REFUSED == 6
  // says: can neither be copied nor moved
  nopal::run([] { return fixed(); });
#elif NOPAL_REFUSED == 7
  // says: nopal: the function cannot be called with these arguments
  nopal::run(&object::act, 1);
#elif NOPAL_REFUSED == 8
  // says: one_function_comes_first
  nopal::run();
#elif NOPAL_REFUSED == 9
  // says: nopal: the function cannot be called with these arguments
  nopal::claim c = r.claim({});
  c.run([](int x) { return x; });
#elif NOPAL_REFUSED == 10
  // says: cannot be called with these arguments, moved; nor with a std::stop_token
  nopal::claim c = r.claim({});
  c.spawn([](int x) { return x; });
#elif NOPAL_REFUSED == 11
  // says: hand over a variable itself by std::ref
  scope.spawn(change, n);
#elif NOPAL_REFUSED == 12
  // says: hand over a variable itself by std::ref
  scope.spawn([](std::string& s) { s += "x"; }, std::string());
#elif NOPAL_REFUSED == 13
  // says: hand over a variable itself by std::ref
  scope.spawn(nopal::near(0), change, n);
#elif NOPAL_REFUSED == 14
  // says: hand over a variable itself by std::ref
  static_cast<void>(scope.async(change, n));
#elif NOPAL_REFUSED == 15
  // says: hand over a variable itself by std::ref
  r.spawn_detached(change, n);
#elif NOPAL_REFUSED == 16
  // says: cannot be copied, and outlives this call; std::move it
  std::mutex m;
  scope.spawn([](std::mutex&) {}, m);
#elif NOPAL_REFUSED == 17
  // says: overloaded function with no contextual type information || one_function_comes_first
  scope.spawn(overloaded, 1);
#elif NOPAL_REFUSED == 18
  // says: a task is given where a function is meant
  scope.spawn(some_task(1));
#elif NOPAL_REFUSED == 19
  // says: can neither be copied nor moved
  static_cast<void>(scope.async([] { return fixed(); }));
#elif NOPAL_REFUSED == 20
  // says: cannot be copied, and outlives this call; std::move it
  std::unique_ptr<int> p;
  scope.spawn([](std::unique_ptr<int>) {}, p);
#elif NOPAL_REFUSED == 21
  // says: cannot be called with these arguments, moved; nor with a std::stop_token
  scope.spawn(0, [] {});
#elif NOPAL_REFUSED == 22
  // says: nopal::blocking: the function must be callable without arguments
  nopal::blocking([](int x) { return x; });
#elif NOPAL_REFUSED == 23
  // says: no matching function
  nopal::blocking(some_task, 1);
#elif NOPAL_REFUSED == 24
  // says: would run on a worker and not on a helper thread
  nopal::blocking([] { return some_task(1); });
#elif NOPAL_REFUSED == 25
  // says: can neither be copied nor moved
  nopal::blocking([] { return fixed(); });
#elif NOPAL_REFUSED == 26
  // says: nopal::blocking: the function must be callable without arguments
  nopal::run([]() -> nopal::task<> { co_await nopal::async_blocking([](int x) { return x; }); });
#elif NOPAL_REFUSED == 27
  // says: would run on a worker and not on a helper thread
  nopal::run(
      []() -> nopal::task<> { co_await nopal::async_blocking([] { return some_task(1); }); });
#elif NOPAL_REFUSED == 28
  // says: nopal::worker_local::with: the function must be callable with a T&
  nopal::worker_local<int> sum;
  sum.with([](std::string& s) { s += "x"; });
#elif NOPAL_REFUSED == 29
  // says: which may go on on another worker
  nopal::worker_local<int> sum;
  sum.with([](int& s) { return some_task(s); });
#elif NOPAL_REFUSED == 30
  // says: the function must be copyable, and return a T
  nopal::worker_local<int> sum([] { return std::string(); });
#elif NOPAL_REFUSED == 31
  // says: the operation must be callable with a T and a const T&
  nopal::worker_local<std::vector<int>> lists;
  static_cast<void>(lists.combine(std::plus<>()));
#elif NOPAL_REFUSED == 32
  // says: nopal::worker_local::combine: T cannot be copied
  nopal::worker_local<std::unique_ptr<int>> owners;
  static_cast<void>(owners.combine([](auto a, const auto&) { return a; }));
#elif NOPAL_REFUSED == 33
  // says: T has no default constructor; give a function that makes a T
  struct no_default {
    explicit no_default(int) {}
  };
  nopal::worker_local<no_default> objects;
#elif NOPAL_REFUSED == 34
  // says: no matching function
  nopal::wait(some_task);
#elif NOPAL_REFUSED == 35
  // says: deleted
  auto t = some_task(1);
  nopal::wait(t);
#elif NOPAL_REFUSED == 36
  // says: no matching
  nopal::runtime other({.workers = 1}, 2);
#endif
  static_cast<void>(n);
}
