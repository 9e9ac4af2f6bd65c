// SPDX-License-Identifier: Apache-2.0
// Closures of which one stops the others.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/stop/entered_scope.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal::detail {

template <class... F>
using common_result = std::common_type_t<std::decay_t<result_to_end<F&>>...>;

/// Returns whether `e` is nopal::stopped.
bool is_stopped(const std::exception_ptr& e) noexcept;

/// Closures of which the first that returns gives the result, and stops the others.
template <class R>
class race {
  struct nothing {};
  using value = std::conditional_t<std::is_void_v<R>, nothing, R>;

 public:
  template <class... F>
  R run(F&... f) {
    return run(std::index_sequence_for<F...>(), f...);
  }

 private:
  template <std::size_t... I, class... F>
  R run(std::index_sequence<I...>, F&... f) {
    std::array<std::exception_ptr, sizeof...(F) + 1> errors;
    try {
      entered_scope scope;
      scope_ = &scope;
      parallel_invoke([&] { run_one(f, errors[I]); }...);
    } catch (const stopped&) {
      // A thief has not begun a closure, since the race was won or stopped from outside.
      errors.back() = std::current_exception();
    }
    if (!is_won_.load(std::memory_order_relaxed)) rethrow(errors);  // the joins order this
    if constexpr (!std::is_void_v<R>) return std::move(*result_);
  }

  template <class F>
  void run_one(F& f, std::exception_ptr& error) noexcept {
    try {
      if constexpr (std::is_void_v<R>) {
        invoke_to_end(f);
        if (wins()) scope_->request_stop();
      } else {
        value v = invoke_to_end(f);
        if (!wins()) return;
        result_.emplace(std::move(v));
        scope_->request_stop();
      }
    } catch (...) {
      error = std::current_exception();
    }
  }
  bool wins() noexcept { return !is_won_.exchange(true, std::memory_order_relaxed); }

  template <std::size_t N>
  [[noreturn]] static void rethrow(const std::array<std::exception_ptr, N>& errors) {
    for (const std::exception_ptr& e : errors)
      if (e != nullptr && !is_stopped(e)) std::rethrow_exception(e);
    for (const std::exception_ptr& e : errors)
      if (e != nullptr) std::rethrow_exception(e);
    std::terminate();  // each closure has returned, thrown, or not been begun
  }

  entered_scope* scope_ = nullptr;
  std::atomic<bool> is_won_{false};
  std::optional<value> result_;
};

/// Closures of which the first that throws stops the others.
class stopping_invoke {
 public:
  template <class... F>
  decltype(auto) run(F&... f) {
    entered_scope scope;
    scope_ = &scope;
    try {
      return parallel_invoke([&]() -> decltype(auto) { return run_one(f); }...);
    } catch (...) {
      if (error_ != nullptr) std::rethrow_exception(error_);
      throw;
    }
  }

 private:
  template <class F>
  decltype(auto) run_one(F& f) {
    try {
      return invoke_to_end(f);
    } catch (...) {
      if (!has_error_.exchange(true, std::memory_order_relaxed)) {
        error_ = std::current_exception();  // the join orders this
        scope_->request_stop();
      }
      throw;
    }
  }

  entered_scope* scope_ = nullptr;
  std::atomic<bool> has_error_{false};
  std::exception_ptr error_;
};

}  // namespace nopal::detail
