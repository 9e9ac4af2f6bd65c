// SPDX-License-Identifier: Apache-2.0
// The join of parallel_invoke: two strands, one word. docs/join.md has the protocol and its
// argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// Lies in the frame that forks. Its word says who has arrived: nobody; the thief, its closure done
/// or thrown; or the owner, whose suspension it then points to. Each arrives by one exchange, and
/// whoever finds the other there goes on.
class two_way_join_base : public continuation {
 public:
  /// Owner: makes this stealable. Returns where, or deque::full where it cannot be: the fork then
  /// runs as a call.
  NOPAL_ALWAYS_INLINE std::int64_t push() noexcept {
    return owner_->push(address_now<continuation>(*this));
  }

  /// Owner: whether this, pushed at `position`, was not stolen, and is not stealable any more.
  NOPAL_ALWAYS_INLINE bool take_back(std::int64_t position) noexcept {
    return nopal::detail::take_back(owner_, position);
  }

  /// Owner, after take_back() has failed. Returns when the thief has arrived, maybe on another
  /// worker. Drops the thief's exception.
  void wait() noexcept;

  /// The same, and rethrows the thief's exception.
  void wait_and_rethrow();

 protected:
  NOPAL_ALWAYS_INLINE two_way_join_base(void (*run_stolen)(continuation&, worker&) noexcept,
                                        worker* w) noexcept
      : continuation(run_stolen), owner_(w), word_(nobody), at_fork_(*w) {}

  /// Thief, as the last thing that it does on its stack. `e` may be null.
  [[noreturn]] void arrive(std::exception_ptr&& e) noexcept;

  /// Thief, on its scheduler stack. Returns when the strand has left.
  void start(worker& thief, void (*strand)(void*)) noexcept;

 private:
  static constexpr std::int64_t nobody = 0;
  static constexpr std::int64_t done = 1;
  static constexpr std::int64_t thrown = 2;

  struct owner_wait;

  std::int64_t wait_for_thief() noexcept;
  std::exception_ptr take_exception() noexcept;
  static suspension* announce_owner(void* owner_wait) noexcept;
  static suspension* announce(two_way_join_base& join, std::int64_t outcome) noexcept;

  // Kept here and not in a register, which every call below would have to save.
  worker* owner_;
  arrival_word word_;
  fork_state at_fork_;
  alignas(std::exception_ptr) std::byte
      exception_[sizeof(std::exception_ptr)];  ///< One only where the thief threw.
};

/// Whether a closure is a temporary and cheap to copy. A function, for which G is a reference, has
/// no size: decay_t.
template <class G>
inline constexpr bool cheap_to_copy =
    !std::is_lvalue_reference_v<G> && std::is_trivially_copyable_v<G> &&
    sizeof(std::decay_t<G>) <= 16 * sizeof(void*);

/// What a thief finds of a closure: a copy where it is cheap to copy; others stay where they are.
template <class G>
class stealable_closure {
 public:
  NOPAL_ALWAYS_INLINE explicit stealable_closure(std::remove_reference_t<G>& g) noexcept
      : g_(held(g)) {}

  NOPAL_ALWAYS_INLINE void operator()() {
    if constexpr (cheap_to_copy<G>)
      g_();
    else
      (*g_)();
  }

 private:
  NOPAL_ALWAYS_INLINE static decltype(auto) held(std::remove_reference_t<G>& g) noexcept {
    if constexpr (cheap_to_copy<G>)
      return (g);
    else
      return &g;
  }

  std::conditional_t<cheap_to_copy<G>, std::remove_reference_t<G>, std::remove_reference_t<G>*> g_;
};

template <class G>
class two_way_join final : public two_way_join_base {
 public:
  NOPAL_ALWAYS_INLINE two_way_join(std::remove_reference_t<G>& g, worker* w) noexcept
      : two_way_join_base(run_stolen, w), g_(g) {}

 private:
  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<two_way_join&>(c).start(w, strand);
  }

  static void strand(void* argument) {
    auto& self = *static_cast<two_way_join*>(argument);
    std::exception_ptr e;
    try {
      self.g_();
    } catch (...) {
      e = std::current_exception();
    }
    self.arrive(std::move(e));
  }

  // Compilers fill a closure by 16-byte moves; one that crosses a cache line cannot be forwarded to
  // the loads that follow.
  alignas(16) stealable_closure<G> g_;
};

}  // namespace nopal::detail
