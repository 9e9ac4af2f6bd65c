// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Says how long a call of nopal::io may wait. It is the last argument of each call. A stop token
/// or a deadline converts to it.
/// \code
/// std::stop_source source;
/// const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
/// std::error_code error;
/// nopal::io::sleep_for(std::chrono::hours(1), error, {source.get_token(), soon});
/// const bool too_late = error == std::errc::timed_out;
/// nopal::io::sleep_for(std::chrono::hours(1), error, soon);
/// \endcode
///
/// A call that has begun to do its work is not broken off: it ends first, and its result counts.
/// So a call that fails because of a limit has transferred nothing.
/// Thread-safety: that of its members; a stop may be requested by any thread.
struct limits {
  using moment = std::chrono::steady_clock::time_point;

  limits() noexcept = default;
  limits(std::stop_token s, moment d = moment::max()) noexcept : stop(std::move(s)), deadline(d) {}
  limits(moment d) noexcept : deadline(d) {}

  /// Once a stop is requested the call fails with std::errc::operation_canceled.
  std::stop_token stop;
  /// A call that would have to wait after this moment fails with std::errc::timed_out. One that
  /// need not wait is made even if the deadline has passed, if that is known. It is known for
  /// accept and connect only if the descriptor has O_NONBLOCK, for reads and writes if it has or if
  /// the file knows RWF_NOWAIT, and for openat, close, fsync and statx never. Otherwise the call
  /// fails after the deadline.
  moment deadline = moment::max();
};

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
