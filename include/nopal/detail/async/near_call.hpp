// SPDX-License-Identifier: Apache-2.0
// A spawned function with a hint that says where it is to run.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/async/spawned_function.hpp"

namespace nopal::detail {

/// Two ways lead to the function: the queue of spawned functions, and the inbox of the worker that
/// the hint names. Whoever comes first runs it. Whoever comes second finds that it is taken. The
/// memory is freed by the last of these two events: the function has ended, and the second has
/// come.
///
/// The first to come may let the scope end, so that the second must not read the scope.
class hinted_function : public spawned_function {
 public:
  /// The way through the inbox.
  struct hint : continuation {
    explicit hint(hinted_function& f) noexcept : continuation(run_hinted), function(&f) {}
    hinted_function* function;
  };

  hinted_function(call_function call, scope* s, void (*free)(hinted_function&) noexcept) noexcept
      : spawned_function(call, s, true), free_(free) {}

  [[nodiscard]] hint& by_hint() noexcept { return hint_; }

 protected:
  ~hinted_function() = default;

  /// Notes that the function has ended. It is destroyed already.
  void ended() noexcept {
    // This acquires and releases, as comes_first() does: whoever frees the memory comes after the
    // other.
    if (state_.fetch_add(function_ended, std::memory_order_acq_rel) == 2 * arrival) free_(*this);
  }

 private:
  friend spawned_function;

  /// Notes that a worker has come, by one way or the other. Returns whether the caller is to run
  /// the function; if not, the object may be gone.
  [[nodiscard]] bool comes_first() noexcept {
    const unsigned before = state_.fetch_add(arrival, std::memory_order_acq_rel);
    if (before == arrival + function_ended) free_(*this);
    return before == 0;
  }

  static void run_hinted(continuation& c, worker& w) noexcept;

  static constexpr unsigned arrival = 1;
  static constexpr unsigned function_ended = 4;

  std::atomic<unsigned> state_{0};  ///< The sum of the events so far.
  void (*free_)(hinted_function&) noexcept;
  hint hint_{*this};
};

/// A hinted function of one type.
template <class F>
class near_call final : public hinted_function {
 public:
  near_call(scope* s, F&& f) : hinted_function(call, s, free), f_(std::move(f)) {}
  ~near_call() {}  // the function is destroyed when it has run

 private:
  /// Calls the function, by whichever way comes first.
  static void call(spawned_function& base) noexcept {
    auto& self = static_cast<near_call&>(base);
    try {
      self.f_(*self.counted_by());
    } catch (...) {
      self.has_thrown();
    }
    std::destroy_at(&self.f_);
    self.ended();
  }
  static void free(hinted_function& base) noexcept { delete &static_cast<near_call&>(base); }

  union {
    F f_;
  };
};

}  // namespace nopal::detail
