// SPDX-License-Identifier: Apache-2.0
// A function that was spawned, and what counts it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <utility>

#include "nopal/async/countdown.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/strand/strand_state.hpp"

namespace nopal::detail {

class scheduler;
class spawned_function;
class hinted_function;

/// What a task_scope is to the functions that it has spawned: their number, how they begin, and
/// what the first of them has thrown.
class scope {
 public:
  /// \param s  whose workers run the functions; nullptr for that of the calling worker, or of the
  /// default runtime if the caller is no worker.
  explicit scope(scheduler* s);
  ~scope();
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Has a worker run `f`, which is counted from here on.
  void spawn(spawned_function& f) noexcept;

  /// The same for worker `index`, or any other that comes first.
  void spawn_near(unsigned index, hinted_function& f) noexcept;

  /// \throws std::out_of_range if there is no worker `index`.
  void require_worker(unsigned index) const;

  /// Returns when all functions have ended.
  void join() noexcept { running_.wait(); }

  /// The exception of the function that was the first to throw, or nullptr. After join().
  [[nodiscard]] std::exception_ptr take_exception() noexcept {
    has_thrown_.store(false, std::memory_order_relaxed);
    return std::exchange(first_exception_, nullptr);
  }

  std::stop_source stop;

 private:
  friend spawned_function;

  void note(std::exception_ptr e) noexcept;

  scheduler* runs_on_;
  strand_state begin_with_;  ///< What a plain call would find where the scope was made.
  countdown running_;
  std::atomic<bool> has_thrown_{false};
  std::exception_ptr first_exception_;
};

/// A function on its way to a worker, in memory of its own, which it frees when it has run.
///
/// A worker runs several in a row on one stack, as long as nothing else is to go first: a stack is
/// fresh for each but for what those before have left below.
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
  void has_thrown() noexcept { counted_by()->note(std::current_exception()); }
  /// On the scheduler stack, after comes_first(). Returns when the strand has left.
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
