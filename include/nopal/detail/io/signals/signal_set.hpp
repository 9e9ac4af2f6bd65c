// SPDX-License-Identifier: Apache-2.0
// What waits for a signal, and the two calls that wait for one alone.
#pragma once

#include <bit>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "nopal/detail/io/signals/arrivals.hpp"
#include "nopal/detail/platform/list.hpp"
#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/sync/channel_cases.hpp"
#include "nopal/detail/sync/wait_case.hpp"

namespace nopal::detail {

/// Signals that have come for one io::signals, and who waits for them.
class signal_set : public list_links {
 public:
  /// \throws std::system_error if one of the signals has no handler.
  explicit signal_set(std::span<const int> numbers);
  ~signal_set();
  signal_set(const signal_set&) = delete;
  signal_set& operator=(const signal_set&) = delete;

  /// Gives the signals that are in this set to those who wait.
  void post(signal_bits come) noexcept;
  [[nodiscard]] signal_bits all() const noexcept { return all_; }

 private:
  friend struct signal_case;

  signal_bits all_ = 0;
  void* process_ = nullptr;  ///< What belongs to the process that has made this.
  mutable brief_lock lock_;  ///< It guards the rest.
  signal_bits pending_ = 0;
  offer_list receivers_;  ///< Somebody waits here only if nothing is pending.
  [[no_unique_address]] expected_event signals_come_;
};

/// One that waits for a signal.
struct signal_case : wait_case {
  signal_case(signal_set& s, std::optional<int>* to) noexcept
      : wait_case(s.lock_, functions), from(&s), into(to) {}

  void prepare() const noexcept { into->reset(); }
  void check() const noexcept {}

  signal_set* from;
  std::optional<int>* into;

 private:
  static bool take(wait_case& w, taken_offers& /*served*/) noexcept {
    auto& self = static_cast<signal_case&>(w);
    signal_bits& pending = self.from->pending_;
    if (pending == 0) return false;
    self.into->emplace(std::countr_zero(pending) + 1);
    pending &= pending - 1;
    return true;
  }
  static void list(wait_case& w) noexcept {
    auto& self = static_cast<signal_case&>(w);
    self.from->receivers_.push_back(self);
  }
  static void unlist(wait_case& w) noexcept { w.unlink(); }

  static constexpr case_functions functions{take, list, unlist};
};

class signal_operation : public one_case<signal_case> {
 public:
  using result = int;
  static constexpr const char* name = "nopal::io::signals: receive";
  static constexpr const char* waits_for = "a signal of the nopal::io::signals";

  explicit signal_operation(signal_set& s) noexcept : one_case(s, nullptr) {}
  bool take() noexcept { return into_own().one_case::take(); }
  bool begin(decision& d, bool for_task) noexcept {
    return into_own().one_case::begin(d, for_task);
  }
  int value() const noexcept { return received_.value_or(0); }
  [[nodiscard]] const void* object() const noexcept { return case_.from; }

 private:
  /// The operation may have been moved before it began.
  signal_operation& into_own() noexcept {
    case_.into = &received_;
    return *this;
  }

  std::optional<int> received_;
};

}  // namespace nopal::detail
