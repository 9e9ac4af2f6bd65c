// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/signals.hpp"
#else

#include <initializer_list>
#include <optional>
#include <span>
#include <system_error>

#include "nopal/detail/io/signals/signal_set.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::io {

/// Signals of the system, which strands, tasks and threads receive like the elements of a channel.
/// While the object lives they do nothing else to the process; afterwards they do what they did
/// before.
/// \code
/// nopal::io::signals ends{SIGINT, SIGTERM};
/// nopal::channel<int> requests(10);
/// std::optional<int> signal, request;
/// while (nopal::select(ends.receiving(signal), requests.receiving(request)) == 1)
///   std::printf("request %d\n", *request);
/// \endcode
///
/// A signal that comes again before it has been received counts once, as it does in the system.
/// Whoever receives gets the smallest number of those that have come. Each object gets each of its
/// signals.
///
/// The program may block the signals on any of its threads, or on none: no mask is changed. If all
/// threads block a signal, a thread of nopal's takes it. Otherwise the system runs the handler on a
/// thread that does not block the signal, on the stack of the strand that this thread runs. In a
/// process that is started the signals do what they do by default. In a child of fork(2) they do
/// what they did before, and the object is of no use.
/// Thread-safety: any strand, task or thread may call any member at any time. The object may be
/// destroyed when nobody uses it.
/// Complexity: the first object starts a thread, and the end of the last one waits for its end.
class signals {
 public:
  /// \param which  any signals but SIGKILL, SIGSTOP, and those of faults such as SIGSEGV.
  /// \throws std::system_error with std::errc::invalid_argument for these, or if there is no
  /// thread; std::bad_alloc.
  signals(std::initializer_list<int> which) : set_(std::span(which.begin(), which.size())) {}
  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;

  /// Waits for a signal, and returns its number. A task writes `co_await s.receive()`.
  auto receive() { return detail::wait_call<detail::signal_operation>({}, set_); }
  /// Waits for a signal, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto receive(const limits& within) {
    return detail::wait_call<detail::signal_operation, detail::call_limits>({within, nullptr},
                                                                            set_);
  }
  /// Does the same without an exception. Returns 0 if there is an error.
  auto receive(std::error_code& error, const limits& within) {
    return detail::wait_call<detail::signal_operation, detail::call_limits>({within, &error}, set_);
  }
  /// Receives a signal if one has come.
  std::optional<int> try_receive() {
    std::optional<int> signal;
    detail::signal_case one(set_, &signal);
    detail::take(one);
    return signal;
  }
  /// A case of a nopal::select() that receives a signal into `to`.
  [[nodiscard]] auto receiving(std::optional<int>& to) noexcept {
    return detail::signal_case(set_, &to);
  }

 private:
  detail::signal_set set_;
};

}  // namespace nopal::io

#endif
