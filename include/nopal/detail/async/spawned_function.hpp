// SPDX-License-Identifier: Apache-2.0
// This has a function that was spawned, and the scope that counts it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <utility>

#include "nopal/detail/async/join_operation.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/fp_control.hpp"
#include "nopal/detail/strand/strand_state.hpp"
#include "nopal/detail/wait/decision.hpp"
#include "nopal/detail/wait/waiting_scope.hpp"

namespace nopal::detail {

class scheduler;
struct suspension;
class spawned_function;
class hinted_function;

/// The part of a task_scope that the functions it has spawned use: their number, how they begin,
/// and what the first of them has thrown. docs/async.md has the protocol and its argument.
///
/// The number is not a countdown: others may spawn while one joins, so that it rises from 0 again
/// before whoever joins has gone on.
class scope {
 public:
  /// \param s  the scheduler whose workers run the functions; nullptr for that of the calling
  /// worker, or of the default runtime if the caller is no worker.
  explicit scope(scheduler* s);
  ~scope();
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Has a worker run `f`, which is counted from here on.
  /// \throws std::logic_error in a child of fork(2); `f` is not freed then.
  void spawn(spawned_function& f);

  /// Does what spawn() does, for worker `index`, or any other that comes first. Called after
  /// require_worker().
  void spawn_near(unsigned index, hinted_function& f) noexcept;

  /// \throws std::logic_error in a child of fork(2), which does not have the workers.
  void require_workers() const;
  /// \throws also std::out_of_range if there is no worker `index`.
  void require_worker(unsigned index) const;

  /// Returns when all functions have ended; in a child of fork(2) at once. Their views of reducers
  /// are then behind those of the caller.
  void join() noexcept;

  /// What the functions run in. A stop of the scope in which this was made stops it as well.
  waiting_scope stops;

 private:
  friend spawned_function;
  friend join_operation;

  void note(std::exception_ptr e) noexcept;
  [[nodiscard]] std::exception_ptr take_exception() noexcept;
  void take_views() noexcept;
  bool announce(decision& d) noexcept;
  bool withdraw() noexcept;
  decision* take_off(std::int64_t n) noexcept;
  void ended(std::int64_t n) noexcept;
  static void last_ended(scope& s) noexcept;

  static constexpr std::int64_t somebody_joins = 1;
  static constexpr std::int64_t one_function = 2;
  enum class exception : unsigned char { none, being_noted, noted };

  stopped_by outer_stop_;
  scheduler* runs_on_;
  fp_control begin_with_;  ///< The control words when the scope was made.
  /// The functions that have not ended, times one_function; and somebody_joins, once `joiner_` is
  /// set.
  std::atomic<std::int64_t> running_{0};
  decision* joiner_ = nullptr;
  std::atomic<exception> exception_{exception::none};
  std::exception_ptr first_exception_;
  left_views views_;  ///< The views of functions that have ended.
};

/// A function on its way to a worker, in memory of its own, which it frees when it has run.
///
/// A worker runs several in a row on one stack, as long as nothing else is to go first. The stack
/// is fresh for each, except for what those before have left below. Each begins with no exception
/// caught, as on a thread of its own: the scope may outlive the catch block in which it was made.
class spawned_function : public continuation {
 public:
  /// Runs what was spawned, and frees `self`.
  using call_function = void (*)(spawned_function& self) noexcept;

  /// \param s  is nullptr if nobody counts the function.
  /// \param hinted  whether it is a hinted_function.
  spawned_function(call_function call, scope* s, bool hinted = false) noexcept
      : continuation(run_row),
        call_(call),
        scope_(reinterpret_cast<std::uintptr_t>(s) | static_cast<std::uintptr_t>(hinted)) {}

 protected:
  ~spawned_function() = default;
  [[nodiscard]] scope* counted_by() const noexcept {
    return reinterpret_cast<scope*>(scope_ & ~std::uintptr_t{1});
  }
  /// Notes the current exception for the join of the scope. Called in a handler.
  void has_thrown() noexcept { counted_by()->note(std::current_exception()); }
  /// Starts the strand of the function. Called on the scheduler stack, after comes_first(). Returns
  /// when the strand has left.
  void start(worker& w) noexcept;

 private:
  class ended;

  static void run_row(continuation& c, worker& w) noexcept;
  [[nodiscard]] bool comes_first() noexcept;
  static void row(void* first);
  static spawned_function* next_in_row() noexcept;
  static suspension* announce_end(void* scope) noexcept;
  [[nodiscard]] strand_state begin_with() const noexcept;

  call_function call_;
  std::uintptr_t scope_;  ///< A scope*; bit 0 says that this is a hinted_function.
};

/// A spawned function of one type: f(s) is called, where s is its scope.
template <class F>
class spawned_call final : public spawned_function {
 public:
  spawned_call(scope* s, F&& f) : spawned_function(call, s), f_(std::move(f)) {}

 private:
  /// Calls the function, for row(), and frees this.
  static void call(spawned_function& base) noexcept {
    auto& self = static_cast<spawned_call&>(base);
    try {
      self.f_(*self.counted_by());
    } catch (...) {
      self.has_thrown();
    }
    delete &self;
  }

  [[no_unique_address]] F f_;
};

}  // namespace nopal::detail
