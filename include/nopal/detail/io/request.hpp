// SPDX-License-Identifier: Apache-2.0
// A call that may have to wait, from its first attempt to its result. docs/io.md has the protocol
// and its argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/platform/list.hpp"
#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/wait/timer.hpp"
#include "nopal/io/limits.hpp"

namespace nopal::detail {

class waiter;
class io_backend;

/// A job that a helper thread runs.
struct io_job : list_links {
  explicit io_job(void (*r)(io_job&) noexcept) noexcept : run(r) {}
  io_job(const io_job&) = delete;
  io_job& operator=(const io_job&) = delete;

  void (*run)(io_job&) noexcept;
  [[no_unique_address]] expected_event ends;
};

/// Names the part of the backend that has the request. It changes only under the lock of the
/// backend.
enum class io_stage : std::uint8_t {
  nowhere,  ///< Its maker.
  polled,   ///< The poller's lists: it waits for events, or for a moment alone.
  tried,    ///< The thread that has found its events, which makes the call.
  queued,   ///< The queue of the helper threads or, if it is not listed, one that makes the call.
  in_ring,  ///< The kernel, which makes the call.
  ended,    ///< None any more: the result is there.
};

/// A request lies on the stack or in the coroutine that waits, together with what `call` points to.
/// So the waiter must not go on before the backend has finished with both.
struct io_request : io_job {
  io_request(const io_call& c, const io::limits& l) noexcept;

  /// Makes the first attempt, which does not wait. Returns whether the result is there.
  bool prepare() noexcept;
  /// Hands the request to the backend. Returns whether `w` has to wait: if so the backend calls
  /// w.go_on().
  bool begin(waiter& w) noexcept;
  /// Returns the result. Precondition: it is there. Whoever requests a stop has left the request
  /// then.
  std::int64_t conclude() noexcept;

  struct stop_function {
    io_request* stops;
    void operator()() const noexcept;
  };

  io_call call;
  const io::limits* within;
  io_backend* backend = nullptr;
  std::optional<std::stop_callback<stop_function>> on_stop;
  std::optional<std::stop_callback<stop_function>> on_stop_of_scope;

  /// A timer of the request: a sleep is over, a call is late, or the kernel is to be asked again.
  struct moment : timer {
    explicit moment(io_request& r) noexcept : timer(expire_request), of(&r) {}
    io_request* of;
  };
  static void expire_request(timer& t) noexcept;
  moment alarm{*this};

  /// These say what comes next if the call would wait now.
  short events = 0;           ///< These let it go on; if 0, a helper thread has to make the call.
  bool needs_thread = false;  ///< A helper thread makes it, even after the events.
  short handed_after = 0;     ///< The events after which the poller gave it to a helper thread.
  bool left_ring = false;     ///< The kernel has given it back, and it is to be polled.
  bool connecting = false;    ///< The connection is being made, and the events tell when it is.

  // The lock of the backend guards these.
  io_stage stage = io_stage::nowhere;
  std::chrono::milliseconds cancel_again{1};  ///< The time until the kernel is asked again.
  int refused = 0;  ///< The error number of a stop or deadline that came while the call was made.
  std::int64_t result = 0;  ///< The result, or the negative error number.
  waiter* waits = nullptr;
};

/// Whether the caller is a strand that can be suspended. In a child of fork(2) it cannot: its
/// worker is a thread alone, and nobody would go on with it.
bool is_on_worker() noexcept;
/// Whether the calling thread itself makes a call with these limits, and waits in it: it is no
/// worker, and neither a limit nor a stop of its scope may end the call.
bool is_call_of_thread(const io::limits& l) noexcept;

/// Makes the call and returns its result, or the negative error number. The calling strand is
/// suspended while the call waits; a thread that is no worker waits in it.
std::int64_t perform(const io_call& c, const io::limits& l) noexcept;

}  // namespace nopal::detail
