// SPDX-License-Identifier: Apache-2.0
// The serial elision of io::signals: whoever receives waits for the handler itself.
#pragma once

#include <semaphore.h>
#include <time.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "nopal/detail/io/signals/arrivals.hpp"
#include "nopal/detail/platform/decimal.hpp"
#include "nopal/detail/serial/sync/made_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {
inline namespace serial {
namespace io {

class signals {
 public:
  signals(std::initializer_list<int> which) {
    arrivals();
    for (const int n : which) {
      if (const int error = arrivals().add(n)) {
        remove_all();
        throw std::system_error(error, std::system_category(),
                                "nopal::io::signals: signal " + detail::decimal(n));
      }
      added_.push_back(n);
      all_ |= detail::bit_of_signal(n);
    }
    sets().push_back(this);
  }
  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;
  ~signals() {
    std::erase(sets(), this);
    remove_all();
  }

  auto receive() { return receive_within({}); }
  auto receive(const limits& within) { return receive_within({&within}); }
  auto receive(std::error_code& error, const limits& within) {
    return receive_within({&within, &error});
  }
  std::optional<int> try_receive() {
    std::optional<int> signal;
    take(signal);
    return signal;
  }
  [[nodiscard]] auto receiving(std::optional<int>& to) noexcept {
    struct signal_case {
      signals* from;
      std::optional<int>* to;
      bool take() const {
        to->reset();
        return from->take(*to);
      }
    };
    return signal_case{this, &to};
  }

 private:
  static detail::signal_arrivals& arrivals() {
    static detail::signal_arrivals all(nullptr);
    if (detail::signal_arrivals::newest() == nullptr) all.begin();
    return all;
  }
  static std::vector<signals*>& sets() {
    static std::vector<signals*> all;
    return all;
  }
  void remove_all() noexcept {
    for (const int n : added_) arrivals().remove(n);
  }
  bool take(std::optional<int>& to) {
    const detail::signal_bits come = arrivals().take();
    for (signals* s : sets()) s->pending_ |= come & s->all_;
    if (pending_ == 0) return false;
    to = std::countr_zero(pending_) + 1;
    pending_ &= pending_ - 1;
    return true;
  }
  serial_detail::made_call<int> receive_within(const serial_detail::call_limits& l) {
    std::optional<int> signal;
    if (l.error != nullptr) l.error->clear();
    while (!l.is_stopped() && !take(signal) && wait(l)) {
    }
    if (!signal) serial_detail::fail("nopal::io::signals: receive", l);
    return signal.value_or(0);
  }
  /// Waits for any signal. Returns false after the deadline.
  static bool wait(const serial_detail::call_limits& l) {
    if (!l.has_deadline()) return ::sem_wait(&arrivals().come) == 0 || errno == EINTR;
    const auto since = l.within->deadline.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const timespec at{static_cast<time_t>(seconds.count()),
                      static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
    return ::sem_clockwait(&arrivals().come, CLOCK_MONOTONIC, &at) == 0 || errno == EINTR;
  }

  std::vector<int> added_;
  detail::signal_bits all_ = 0;
  detail::signal_bits pending_ = 0;
};

}  // namespace io
}  // namespace serial
}  // namespace nopal
