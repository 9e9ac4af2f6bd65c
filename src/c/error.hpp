// SPDX-License-Identifier: Apache-2.0
// How the functions of C return what went wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <system_error>

#include "nopal/c/error.h"
#include "nopal/detail/platform/config.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::detail {

/// Notes `text` for nopal_last_error(). Returns `error`.
int c_error(int error, const char* text) noexcept;

/// Notes that an argument is wrong. Returns EINVAL.
int c_argument(const char* function, const char* what) noexcept;

/// Notes what a call of the system, or a limit of it, has made of `function`. Returns the error.
int c_system_error(const char* function, const std::error_code& e) noexcept;

/// Notes the exception of the handler that calls this, which a function of nopal has thrown.
/// Returns the error that it stands for.
int c_library_threw() noexcept;

/// Notes the exception of the handler that calls this, which a function of the program has thrown.
/// Returns ECANCELED for a nopal::stopped, else NOPAL_E_EXCEPTION.
int c_program_threw() noexcept;

/// Calls f(), which calls nothing of the program's. Returns the error.
template <class F>
NOPAL_NOINLINE int c_call(F&& f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return c_library_threw();
  }
}

/// Calls run(c), which calls c(args...). That calls call(args...), which calls a function of the
/// program. Returns the error.
template <class Run, class Call>
NOPAL_NOINLINE int c_call_through(Run&& run, Call&& call) noexcept {
  bool begun = false;
  try {
    run([&](auto... args) {
      begun = true;
      call(args...);
    });
    return 0;
  } catch (...) {
    return begun ? c_program_threw() : c_library_threw();
  }
}

/// Returns the limits of a call that may wait for so many nanoseconds.
inline limits c_limits(std::int64_t within) {
  return within < 0 ? limits() : limits(std::chrono::nanoseconds(within));
}

}  // namespace nopal::detail
