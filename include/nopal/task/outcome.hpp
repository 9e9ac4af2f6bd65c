// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"

namespace nopal {

/// What a task or a function has returned or thrown: a T, which may be void or a reference, or an
/// exception.
/// \code
/// int answer_or(nopal::outcome<int> o, int otherwise) {
///   return o.has_value() ? *o : otherwise;
/// }
/// \endcode
///
/// Thread-safety: none; one thread owns an object.
template <class T>
class outcome {
  using kept = std::conditional_t<
      std::is_void_v<T>, bool,
      std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::optional<T>>>;
  using reference = std::add_lvalue_reference_t<T>;
  using const_reference = std::add_lvalue_reference_t<const T>;

 public:
  using value_type = T;

  outcome() noexcept = default;

  /// Whether there is a value; for void, whether the task has ended without an exception. It is
  /// false before anything has been set.
  [[nodiscard]] bool has_value() const noexcept { return static_cast<bool>(value_); }
  explicit operator bool() const noexcept { return has_value(); }

  /// Precondition: there is a value.
  reference operator*() noexcept
    requires(!std::is_void_v<T>)
  {
    return *value_;
  }
  const_reference operator*() const noexcept
    requires(!std::is_void_v<T>)
  {
    return *value_;
  }
  auto operator->() noexcept
    requires(!std::is_void_v<T>)
  {
    return detail::address_of(**this);
  }
  auto operator->() const noexcept
    requires(!std::is_void_v<T>)
  {
    return detail::address_of(**this);
  }
  /// The exception, or nullptr if there is a value.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return exception_; }

  /// Returns the value, which is moved, or throws the exception. It may be called once.
  NOPAL_NOINLINE T take() {  // because of what it throws: see held_exception.hpp
    if (exception_ != nullptr) std::rethrow_exception(std::move(exception_));
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(*value_);
    else if constexpr (!std::is_void_v<T>)
      return *std::move(value_);
  }

  /// Sets what f() returns or throws, in the place of what was set before.
  template <class F>
  void set_from(F&& f) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        f();
        set_value();
      } else {
        set_value(f());
      }
    } catch (...) {
      set_error(std::current_exception());
    }
  }
  void set_value() noexcept
    requires(std::is_void_v<T>)
  {
    exception_ = nullptr;
    value_ = true;
  }
  template <class V>
    requires(!std::is_void_v<T>)
  void set_value(V&& value) {
    exception_ = nullptr;
    if constexpr (std::is_reference_v<T>)
      value_ = detail::address_of(static_cast<reference>(value));
    else
      value_.emplace(std::forward<V>(value));
  }
  void set_error(std::exception_ptr e) noexcept {
    value_ = kept{};
    exception_ = std::move(e);
  }

 private:
  kept value_{};
  std::exception_ptr exception_;
};

}  // namespace nopal
