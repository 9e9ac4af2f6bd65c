// SPDX-License-Identifier: Apache-2.0
// The part of a program that a stop reaches. docs/stop.md says how strands are in one.
#pragma once

#include <atomic>
#include <stop_token>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/strand/current_scope.hpp"

namespace nopal::detail {

/// Forks that a strand has left to all workers when it was suspended, and which are to begin in its
/// scope. This itself lies in an inbox while there are some.
struct left_forks : continuation {
  explicit left_forks(stop_scope* s) noexcept : of(s) {}

  stop_scope* const of;
  std::atomic<continuation*> newest{nullptr};
};

/// What nopal::with_stop() runs. A strand that is in a scope refers to it, and so does each fork
/// that it makes there. It joins them before the scope ends, so the scope lies with whoever began
/// it.
///
/// All strands that are in one scope belong to one scheduler, since left_forks goes through its
/// inbox. A call that goes to another one begins there in a scope of its own, of the same source.
class stop_scope {
 public:
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;

  [[nodiscard]] bool is_stopped() const noexcept { return source.stop_requested(); }

  std::stop_source source;  ///< Stops what is in the scope.
  left_forks left{this};

 protected:
  // Each is a waiting_scope, to which those that wait convert it.
  explicit stop_scope(std::stop_source s) noexcept : source(std::move(s)) {}
  ~stop_scope() = default;
};

}  // namespace nopal::detail
