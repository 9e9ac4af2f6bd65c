// SPDX-License-Identifier: Apache-2.0
// A function that a helper thread runs for a strand or a task.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/io/request.hpp"
#include "nopal/detail/strand/strand_state.hpp"

namespace nopal::detail {

/// A job lies on the stack or in the coroutine that waits.
class blocking_job : io_job {
 public:
  /// Hands the job to a helper thread. Returns whether `w` has to wait.
  bool begin(waiter& w) noexcept;

 protected:
  explicit blocking_job(void (*call)(blocking_job&) noexcept) noexcept
      : io_job(run_job), call_(call), state_(strand_state::of_caller()) {}
  /// The calling strand goes on behind the job, with the views that it has left.
  /// \throws std::system_error if no helper thread could be had.
  void finish() const;

 private:
  static void run_job(io_job& job) noexcept;

  void (*call_)(blocking_job&) noexcept;
  strand_state state_;
  waiter* waits_ = nullptr;
  int error_ = 0;
};

template <class F>
class blocking_call : public blocking_job {
 public:
  using returned = std::invoke_result_t<F&>;

  explicit blocking_call(F& f) noexcept : blocking_job(call), f_(&f) {}

  /// Returns or throws what the function has, after the wait.
  returned result() {
    finish();
    if (exception_ != nullptr) std::rethrow_exception(std::move(exception_));
    if constexpr (std::is_reference_v<returned>)
      return static_cast<returned>(**result_);
    else if constexpr (!std::is_void_v<returned>)
      return *std::move(result_);
  }

 private:
  /// Calls the function, on the helper thread, and keeps what it returns or throws.
  static void call(blocking_job& job) noexcept {
    auto& self = static_cast<blocking_call&>(job);
    try {
      if constexpr (std::is_void_v<returned>)
        std::invoke(*self.f_);
      else if constexpr (std::is_reference_v<returned>)
        self.keep(std::invoke(*self.f_));
      else
        self.result_.emplace(std::invoke(*self.f_));
    } catch (...) {
      self.exception_ = std::current_exception();
    }
  }

  template <class T>
  void keep(T&& object) noexcept {
    result_ = std::addressof(object);
  }

  struct nothing {};
  using kept = std::conditional_t<std::is_void_v<returned>, nothing,
                                  std::conditional_t<std::is_reference_v<returned>,
                                                     std::remove_reference_t<returned>*, returned>>;

  F* f_;
  std::optional<kept> result_;
  std::exception_ptr exception_;
};

}  // namespace nopal::detail
