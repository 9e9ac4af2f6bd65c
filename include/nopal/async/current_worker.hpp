// SPDX-License-Identifier: Apache-2.0
// These say on which worker the caller is, and on which thread.
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/worker_local.hpp"
#else

#include <concepts>
#include <functional>
#include <optional>
#include <utility>

#include "nopal/detail/strand/worker.hpp"

namespace nopal {

namespace detail {
/// Returns the number of the calling thread, which is no worker, for thread_number(). The thread
/// has it from its first call of this to its end.
unsigned number_of_thread();
}  // namespace detail

/// The index of the calling worker in its runtime, from 0 to nopal::workers() - 1; nothing on a
/// thread that is no worker, even if it takes part in its own call (options::caller_works). A
/// strand may be on another worker after each fork, join and wait.
/// \code
/// if (std::optional<unsigned> w = nopal::current_worker()) std::printf("worker %u\n", *w);
/// \endcode
///
/// Thread-safety: any thread may call it at any time.
/// Complexity: two loads.
[[nodiscard]] inline std::optional<unsigned> current_worker() noexcept {
  const detail::worker* w = detail::this_worker();
  if (w == nullptr || w->index >= detail::worker::first_guest) return std::nullopt;
  return w->index;
}

/// A number for the calling thread, whether it is a worker or not: no other living thread of the
/// process has the same. It is the smallest that is free, so that it may be an index into a table
/// that grows. It is free again when the thread or the worker has ended. A worker has another
/// number in each claim than in its runtime.
/// \code
/// unsigned mine = nopal::thread_number();
/// \endcode
///
/// A strand may be on another thread, with another number, after each fork, join and wait.
///
/// \throws std::bad_alloc at the first call of a thread that is no worker.
/// Thread-safety: any thread may call it at any time.
/// Complexity: two loads on a worker, otherwise a call and three.
[[nodiscard]] inline unsigned thread_number() {
  const detail::worker* w = detail::this_worker();
  return w != nullptr ? w->number.value() : detail::number_of_thread();
}

/// Calls f() and returns what it returns, so that f reads thread-local variables of the thread that
/// the strand is on now.
///
/// Compilers keep the address of a thread-local variable in a register, as if a function stayed on
/// its thread. After a fork, join or wait it may be on another one, and a plain read would then
/// read the variable of the thread that the strand has left. What f returns may refer to the
/// variable, and is used before the next fork, join or wait.
/// \code
/// thread_local int calls = 0;
/// ++nopal::on_this_thread([]() -> int& { return calls; });
/// \endcode
///
/// \param f  neither forks nor waits.
/// \throws whatever f throws.
/// Complexity: a call that is not inlined.
template <std::invocable F>
NOPAL_NOINLINE decltype(auto) on_this_thread(F&& f) {
  asm volatile("" ::: "memory");  // otherwise compilers may make one call of two
  return std::invoke(std::forward<F>(f));
}

}  // namespace nopal

#endif
