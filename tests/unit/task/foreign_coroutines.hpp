// SPDX-License-Identifier: Apache-2.0
// Coroutines, executors and callbacks as other libraries have them. They know nothing of nopal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace foreign {

/// A thread that calls what is posted, in order.
class executor {
 public:
  executor() : thread_([this] { run(); }) {}
  ~executor() {
    post(nullptr);
    thread_.join();
  }
  void post(std::function<void()> f) {
    const std::lock_guard held(lock_);
    posted_.push_back(std::move(f));
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock held(lock_);
      changed_.wait(held, [this] { return !posted_.empty(); });
      const std::function<void()> f = std::move(posted_.front());
      posted_.pop_front();
      held.unlock();
      if (f == nullptr) return;
      f();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
  std::thread thread_;
};

/// A thread waits for this.
class signal {
 public:
  void set() {
    const std::lock_guard held(lock_);
    is_set_ = true;
    changed_.notify_one();  // with the lock: afterwards this may be gone
  }
  void wait() {
    std::unique_lock held(lock_);
    changed_.wait(held, [this] { return is_set_; });
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

/// A callback API: calls done(2 * n) on a thread of the executor.
inline void twice(executor& on, int n, std::function<void(int)> done) {
  on.post([n, done = std::move(done)] { done(2 * n); });
}

/// The awaitable that users of the callback API write by hand. Its await_suspend() returns void.
struct twice_awaitable {
  executor* on;
  int n;
  int result = 0;

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    twice(*on, n, [this, h](int doubled) {
      result = doubled;
      h.resume();
    });
  }
  [[nodiscard]] int await_resume() const noexcept { return result; }
};

/// What lazy and eager coroutines have in common: a result, and a coroutine that awaits it.
template <class T, bool Eager>
class coroutine {
 public:
  struct promise_type {
    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> awaiting;
    std::atomic<bool> met{false};  // whether it has ended, or another coroutine awaits it

    coroutine get_return_object() {
      return coroutine(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    auto initial_suspend() noexcept {
      struct begins {
        static bool await_ready() noexcept { return Eager; }
        static void await_suspend(std::coroutine_handle<>) noexcept {}
        static void await_resume() noexcept {}
      };
      return begins{};
    }
    auto final_suspend() noexcept {
      struct ends {
        static bool await_ready() noexcept { return false; }
        static std::coroutine_handle<> await_suspend(
            std::coroutine_handle<promise_type> h) noexcept {
          promise_type& p = h.promise();
          if (!p.met.exchange(true)) return std::noop_coroutine();
          return p.awaiting;
        }
        static void await_resume() noexcept {}
      };
      return ends{};
    }
    void return_value(T v) { value.emplace(std::move(v)); }
    void unhandled_exception() noexcept { error = std::current_exception(); }
  };

  coroutine(coroutine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~coroutine() {
    if (handle_ != nullptr) handle_.destroy();
  }

  auto operator co_await() && noexcept {
    struct awaiter {
      std::coroutine_handle<promise_type> of;
      bool await_ready() const noexcept { return false; }
      // A lazy coroutine begins now, by symmetric transfer.
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) noexcept
        requires(!Eager)
      {
        of.promise().awaiting = h;
        of.promise().met = true;
        return of;
      }
      bool await_suspend(std::coroutine_handle<> h) noexcept
        requires(Eager)
      {
        of.promise().awaiting = h;
        return !of.promise().met.exchange(true);
      }
      T await_resume() {
        if (of.promise().error != nullptr) std::rethrow_exception(of.promise().error);
        return std::move(*of.promise().value);
      }
    };
    return awaiter{handle_};
  }

 private:
  explicit coroutine(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
using lazy = coroutine<T, false>;
template <class T>
using eager = coroutine<T, true>;

/// Calls f() on the awaiting coroutine's way to wait, and resumes or destroys as that says. It is
/// made where it is awaited, and cannot be moved.
template <class F>
struct calls {
  F f;

  explicit calls(F g) : f(std::move(g)) {}
  calls(const calls&) = delete;

  static bool await_ready() noexcept { return false; }
  auto await_suspend(std::coroutine_handle<> h) { return f(h); }
  static void await_resume() noexcept {}
};

/// A generator whose next value may have to be waited for: co_await g.next().
class generator {
 public:
  struct promise_type {
    std::optional<int> value;
    std::coroutine_handle<> awaiting;

    generator get_return_object() {
      return generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    struct hands_over {
      static bool await_ready() noexcept { return false; }
      static std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().awaiting;
      }
      static void await_resume() noexcept {}
    };
    hands_over yield_value(int n) noexcept {
      value = n;
      return {};
    }
    hands_over final_suspend() noexcept {
      value.reset();
      return {};
    }
    static void return_void() noexcept {}
    static void unhandled_exception() { std::terminate(); }
  };

  generator(generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~generator() {
    if (handle_ != nullptr) handle_.destroy();
  }
  auto next() noexcept {
    struct awaiter {
      std::coroutine_handle<promise_type> of;
      static bool await_ready() noexcept { return false; }
      auto await_suspend(std::coroutine_handle<> h) noexcept {
        of.promise().awaiting = h;
        return of;
      }
      std::optional<int> await_resume() const noexcept { return of.promise().value; }
    };
    return awaiter{handle_};
  }

 private:
  explicit generator(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}
  std::coroutine_handle<promise_type> handle_;
};

/// An awaitable by a free operator, which is not an awaiter itself.
struct ready_number {
  int n;
};
inline auto operator co_await(ready_number r) noexcept {
  struct awaiter : std::suspend_never {
    int n;
    [[nodiscard]] int await_resume() const noexcept { return n; }
  };
  return awaiter{{}, r.n};
}

}  // namespace foreign
