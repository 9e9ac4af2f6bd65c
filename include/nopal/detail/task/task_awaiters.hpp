// SPDX-License-Identifier: Apache-2.0
// These are what co_await gets from a fork, a call, a join and the end. task_promise.hpp has their
// functions. If await_suspend() returns false, the coroutine goes on at once.
#pragma once

#include <coroutine>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

class task_promise;

// An awaiter that is an object of its own lies in the frame, and is written at every fork. So these
// are bases of the promise, and co_await gets a reference to one. g++ 12 copies what co_await gets
// a reference to, so there they are objects, with a pointer.
#ifdef __clang__
#define NOPAL_AWAITERS_ARE_BASES 1
#else
#define NOPAL_AWAITERS_ARE_BASES 0
#endif

struct fork_awaiter {
  static bool await_ready() noexcept { return false; }
  template <class P>
  NOPAL_ALWAYS_INLINE static bool await_suspend(std::coroutine_handle<P> h) noexcept {
    return h.promise().fork();
  }
  static void await_resume() noexcept {}
};

struct call_awaiter {
#if !NOPAL_AWAITERS_ARE_BASES
  task_promise* task;
#endif

  static bool await_ready() noexcept { return false; }
  template <class P>
  static bool await_suspend(std::coroutine_handle<P> h) noexcept;
  void await_resume();
};

struct join_awaiter {
#if !NOPAL_AWAITERS_ARE_BASES
  task_promise* task;
#endif

  [[nodiscard]] bool await_ready() noexcept;
  template <class P>
  static bool await_suspend(std::coroutine_handle<P> h) noexcept;
  void await_resume();
};

/// If this is ready, nothing is unusual: the coroutine ends by itself, without suspension.
struct end_awaiter {
#if !NOPAL_AWAITERS_ARE_BASES
  task_promise* task;
#endif

  [[nodiscard]] bool await_ready() noexcept;
  template <class P>
  static void await_suspend(std::coroutine_handle<P> h) noexcept;
  static void await_resume() noexcept {}
};

}  // namespace nopal::detail
