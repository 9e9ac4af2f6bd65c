// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "nopal/detail/serial/sync/made_call.hpp"
#include "nopal/detail/serial/task_promise.hpp"

namespace nopal {
inline namespace serial {

class countdown;

namespace serial_detail {

struct countdown_awaiter : std::suspend_never {
  countdown& waits_for;
  void await_resume() const;
};

}  // namespace serial_detail

class countdown {
 public:
  explicit countdown(std::int64_t n = 0) noexcept : missing_(n) {}
  countdown(const countdown&) = delete;
  countdown& operator=(const countdown&) = delete;

  void add(std::int64_t k = 1) noexcept { missing_ += k; }
  void signal(std::int64_t k = 1) noexcept { missing_ -= k; }
  void signal_and_end() noexcept { --missing_; }
  [[nodiscard]] bool done() const noexcept { return missing_ == 0; }

  /// \throws std::logic_error if a signal is missing: nobody is there to send it.
  void wait() {
    if (!done())
      throw std::logic_error(
          "nopal: a countdown of the serial elision waits for a signal that comes later in the "
          "serial order, and so would wait for ever");
  }
  auto wait(const limits& within) { return wait_within({&within}); }
  auto wait(std::error_code& error, const limits& within) { return wait_within({&within, &error}); }

  [[nodiscard]] serial_detail::countdown_awaiter awaiter_in(serial_detail::task_promise&) noexcept {
    return {{}, *this};
  }

 private:
  serial_detail::made_call<void> wait_within(const serial_detail::call_limits& l) const {
    return serial_detail::made("nopal::countdown: wait", l, [this] { return done(); });
  }

  std::int64_t missing_;
};

inline void serial_detail::countdown_awaiter::await_resume() const { waits_for.wait(); }

}  // namespace serial
}  // namespace nopal
