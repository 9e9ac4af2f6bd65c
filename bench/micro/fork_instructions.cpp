// SPDX-License-Identifier: Apache-2.0
// fib(n) on one worker, by each front end, by calls, and by coroutines that nothing can steal.
// count_instructions.py runs it under callgrind.
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

namespace nopal_bench {
namespace {

[[gnu::noinline]] std::uint64_t fib_calls(unsigned n) {
  return n < 2 ? n : fib_calls(n - 1) + fib_calls(n - 2);
}

std::uint64_t fib_invoke(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a;
  std::uint64_t b;
  nopal::parallel_invoke([&] { a = fib_invoke(n - 1); }, [&] { b = fib_invoke(n - 2); });
  return a + b;
}

std::uint64_t fib_returning(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = nopal::parallel_invoke([n] { return fib_returning(n - 1); },
                                             [n] { return fib_returning(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fib_frame(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_frame, n - 1);
  const std::uint64_t b = fib_frame(n - 2);
  frame.join();
  return a + b;
}

nopal::task<std::uint64_t> fib_task(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a;
  std::uint64_t b;
  co_await nopal::fork(&a, fib_task, n - 1);
  co_await nopal::call(&b, fib_task, n - 2);
  co_await nopal::join();
  co_return a + b;
}

/// What a task is without forks: a coroutine that is called, its frame on a stack of its own. This
/// is the least that a task can cost.
class bare_task {
 public:
  struct promise_type {
    static inline std::vector<std::byte> stack = std::vector<std::byte>(1 << 20);
    static inline std::byte* top = stack.data();

    static void* operator new(std::size_t bytes) {
      std::byte* frame = top;
      top += (bytes + 15) / 16 * 16;
      return frame;
    }
    static void operator delete(void* frame) noexcept { top = static_cast<std::byte*>(frame); }

    struct to_caller {
      static bool await_ready() noexcept { return false; }
      static std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> callee) noexcept {
        const std::coroutine_handle<> caller = callee.promise().caller;
        *callee.promise().result = callee.promise().value;
        callee.destroy();
        return caller;
      }
      static void await_resume() noexcept {}
    };

    bare_task get_return_object() noexcept {
      return bare_task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static to_caller final_suspend() noexcept { return {}; }
    void return_value(std::uint64_t v) noexcept { value = v; }
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }

    std::coroutine_handle<> caller;
    std::uint64_t* result;
    std::uint64_t value;
  };

  struct awaiter {
    std::coroutine_handle<promise_type> callee;
    std::uint64_t result;

    static bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
      callee.promise().caller = caller;
      callee.promise().result = &result;
      return callee;
    }
    [[nodiscard]] std::uint64_t await_resume() const noexcept { return result; }
  };

  awaiter operator co_await() const noexcept { return {handle_, 0}; }
  std::uint64_t run() const {
    std::uint64_t result = 0;
    handle_.promise().caller = std::noop_coroutine();
    handle_.promise().result = &result;
    handle_.resume();
    return result;
  }

 private:
  explicit bare_task(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

bare_task fib_bare(unsigned n) {
  if (n < 2) co_return n;
  const std::uint64_t a = co_await fib_bare(n - 1);
  const std::uint64_t b = co_await fib_bare(n - 2);
  co_return a + b;
}

using kind = std::uint64_t (*)(nopal::runtime&, unsigned);
const std::map<std::string, kind> kinds{
    {"calls", [](nopal::runtime& rt, unsigned n) { return rt.run(fib_calls, n); }},
    {"invoke", [](nopal::runtime& rt, unsigned n) { return rt.run(fib_invoke, n); }},
    {"returning", [](nopal::runtime& rt, unsigned n) { return rt.run(fib_returning, n); }},
    {"frame", [](nopal::runtime& rt, unsigned n) { return rt.run(fib_frame, n); }},
    {"task", [](nopal::runtime& rt, unsigned n) { return rt.run(fib_task, n); }},
    {"bare-coroutine",
     [](nopal::runtime& rt, unsigned n) { return rt.run([n] { return fib_bare(n).run(); }); }}};

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const auto found = argc == 3 ? nopal_bench::kinds.find(argv[1]) : nopal_bench::kinds.end();
  if (found == nopal_bench::kinds.end()) {
    std::cerr << "usage: fork_instructions calls|invoke|returning|frame|task|bare-coroutine n\n";
    return 2;
  }
  nopal::runtime rt({.workers = 1});
  std::cout << found->second(rt, static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))) << '\n';
}
