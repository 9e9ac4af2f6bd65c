// SPDX-License-Identifier: Apache-2.0
// The waits that a stop of their scope ends. docs/stop.md has the argument.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/strand/stop_scope.hpp"
#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

/// A scope with the waits that its strands are in. A wait lists an offer here, which a stop takes.
/// std::stop_callback would do the same with several locked instructions more, on one cache line
/// for all workers. Each scope is one of these.
class waiting_scope : public stop_scope {
 public:
  explicit waiting_scope(std::stop_source s) noexcept;
  ~waiting_scope();

 private:
  friend class scope_wait;

  /// Workers have different parts, so that they seldom meet at one.
  struct alignas(cache_line) part {
    brief_lock lock;
    offer_list waits;
  };
  struct stop_function {
    waiting_scope* of;
    void operator()() const noexcept { of->end_waits(); }
  };
  void end_waits() noexcept;

  static constexpr std::size_t parts = 4;  // a power of two
  std::array<part, parts> parts_;
  std::stop_callback<stop_function> on_stop_;
};

/// Has a stop of a token stop a scope, for as long as this exists.
class stopped_by {
 public:
  stopped_by() noexcept = default;
  ~stopped_by();
  stopped_by(const stopped_by&) = delete;
  stopped_by& operator=(const stopped_by&) = delete;

  void begin(const std::stop_token& t, stop_scope& of);
  /// Does so for a stop of the scope that the caller is in, if there is one.
  void begin_in_current_scope(stop_scope& of);

 private:
  struct stop_function {
    stop_scope* of;
    void operator()() const noexcept { of->source.request_stop(); }
  };
  std::optional<std::stop_callback<stop_function>> on_stop_;
};

/// Lets a stop of the scope of the calling strand end a wait. This lies with whoever waits.
class scope_wait {
 public:
  scope_wait() noexcept = default;
  scope_wait(const scope_wait&) = delete;
  scope_wait& operator=(const scope_wait&) = delete;

  /// Has a stop of the caller's scope decide, if the caller is in one. If it has come already, it
  /// decides at once.
  void begin(decision& d) noexcept {
    if (stop_scope* s = current_scope()) begin_in(static_cast<waiting_scope&>(*s), d);
  }
  /// Takes back what begin() has set. The caller calls this once the decision is over, and before
  /// the decision ends.
  void end() noexcept {
    if (part_ != nullptr) take_back();
  }

 private:
  void begin_in(waiting_scope& s, decision& d) noexcept;
  void take_back() noexcept;

  waiting_scope::part* part_ = nullptr;
  offer offer_;
};

}  // namespace nopal::detail
