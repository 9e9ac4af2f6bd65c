// SPDX-License-Identifier: Apache-2.0
// The result of a call: what it returns, or throws, or leaves in an error code.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <type_traits>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/platform/decimal.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal::detail {

/// \throws std::system_error that names the call, its descriptor or path, and the error.
[[noreturn]] inline void throw_io_error(const io_call& c, int error) {
  constexpr const char* names[] = {"read",  "readv", "write",   "writev",  "accept", "connect",
                                   "send",  "recv",  "sendmsg", "recvmsg", "openat", "close",
                                   "fsync", "statx", "poll",    "sleep"};
  std::string what = "nopal::io: " + std::string(names[static_cast<unsigned>(c.operation)]);
  if (c.path != nullptr) {
    what += " of '" + std::string(c.path) + "'";
    if (c.fd != AT_FDCWD) what += " below descriptor " + decimal(c.fd);
  } else if (c.operation != io_operation::sleep) {
    what += " on descriptor " + decimal(c.fd);
  }
  if (error == ECANCELED) throw stopped((what + " ended by a requested stop").c_str());
  throw std::system_error(error, std::system_category(), what);
}

/// Returns what the call does, or throws. `result` is negative if it is an error number. `error` is
/// nullptr in the form that throws. In the other form the value of a call that failed is -1 for a
/// descriptor, else 0.
template <class R>
R io_result(const io_call& c, std::int64_t result, std::error_code* error) {
  if (result < 0 && error == nullptr) throw_io_error(c, static_cast<int>(-result));
  if (error != nullptr) {
    error->clear();
    if (result < 0) error->assign(static_cast<int>(-result), std::system_category());
  }
  if constexpr (std::is_same_v<R, int>)
    return result < 0 ? -1 : static_cast<R>(result);
  else if constexpr (!std::is_void_v<R>)
    return result < 0 ? R{} : static_cast<R>(result);
}

}  // namespace nopal::detail
