// SPDX-License-Identifier: Apache-2.0
// The join of parallel_invoke: two strands, one word. docs/join.md has the protocol and its argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "nopal/detail/arrival.hpp"
#include "nopal/detail/continuation.hpp"
#include "nopal/detail/strand.hpp"
#include "nopal/detail/worker.hpp"

namespace nopal::detail {

/// Lies in the frame that forks. Its word says who has arrived: nobody; the thief, its closure done or thrown; or the
/// owner, whose suspension it then points to. Each arrives by one exchange, and whoever finds the other there goes on.
class two_way_join_base : public continuation {
 public:
  /// Owner, after the continuation was found stolen. Returns when the thief has arrived, maybe on another worker. Drops
  /// the thief's exception.
  void wait() noexcept;

  /// The same, and rethrows the thief's exception.
  void wait_and_rethrow();

 protected:
  NOPAL_ALWAYS_INLINE two_way_join_base(void (*run)(continuation&, worker&) noexcept, worker& w) noexcept
      : continuation{run}, word_(nobody), exceptions_(*w.exceptions) {}

  /// Thief, as the last thing that it does on its stack. `e` may be null.
  [[noreturn]] void arrive(std::exception_ptr&& e) noexcept;

  exception_state exceptions_at_fork() const noexcept { return exceptions_; }

 private:
  static constexpr std::int64_t nobody = 0;
  static constexpr std::int64_t done = 1;
  static constexpr std::int64_t thrown = 2;

  struct owner_wait;

  std::int64_t wait_for_thief() noexcept;
  std::exception_ptr take_exception() noexcept;
  static suspension* announce_owner(void* owner_wait) noexcept;
  static suspension* announce(two_way_join_base& join, std::int64_t outcome) noexcept;

  arrival_word word_;
  exception_state exceptions_;  ///< At the fork: what the closure finds on a thief, as it would in a call.
  alignas(std::exception_ptr) std::byte exception_[sizeof(std::exception_ptr)];  ///< One only where the thief threw.
};

template <class G>
class two_way_join final : public two_way_join_base {
 public:
  NOPAL_ALWAYS_INLINE two_way_join(G& g, worker& w) noexcept : two_way_join_base(run_stolen, w), g_(&g) {}

 private:
  static void run_stolen(continuation& c, worker& w) noexcept {
    auto& self = static_cast<two_way_join&>(c);
    start_strand(w, strand, &self, self.exceptions_at_fork());
  }

  static void strand(void* argument) {
    auto& self = *static_cast<two_way_join*>(argument);
    std::exception_ptr e;
    try {
      (*self.g_)();
    } catch (...) {
      e = std::current_exception();
    }
    self.arrive(std::move(e));
  }

  G* g_;
};

}  // namespace nopal::detail
