// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "nopal/detail/platform/config.hpp"
#include "nopal/io/bytes.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// What a standard stream of a process is.
enum class stream : unsigned char {
  inherited,  ///< The process has the one of this process.
  piped,      ///< A pipe, whose other end this process has.
  discarded,  ///< /dev/null.
};

// What the members below point to has to stay until the call has ended. They have no destructors,
// since g++ 12 destroys an aggregate twice that is made inside of a co_await.

/// Says how start_process() starts a process.
struct process_options {
  stream input = stream::inherited;
  stream output = stream::inherited;
  stream errors = stream::inherited;
  const char* directory = nullptr;  ///< Where it begins, if not here.
  /// "NAME=value" each. If it is empty, the environment is that of this process.
  std::span<const std::string> environment = {};
};

/// Says how run_process() runs a process.
struct run_options {
  /// These bytes are written to its standard input, which ends after them. What it has not read
  /// when it ends is dropped.
  const_bytes input = {};
  stream output = stream::piped;    ///< If this is a pipe, process_result has what came out.
  stream errors = stream::piped;    ///< The same.
  const char* directory = nullptr;  ///< Where it begins, if not here.
  /// "NAME=value" each. If it is empty, the environment is that of this process.
  std::span<const std::string> environment = {};
  /// After a stop or a deadline the process gets SIGTERM, and SIGKILL if it is there still after
  /// this time.
  std::chrono::milliseconds grace{1000};
};

/// How a process has ended.
struct exit_status {
  int code = 0;    ///< What its main() has returned.
  int signal = 0;  ///< The signal that has ended it, or 0.

  /// Whether its main() has returned 0.
  [[nodiscard]] bool succeeded() const noexcept { return code == 0 && signal == 0; }
  bool operator==(const exit_status&) const = default;
};

/// What run_process() returns.
struct process_result {
  exit_status status;
  std::string output;  ///< What it has written to its standard output,
  std::string errors;  ///< and what to its standard error.
};

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
