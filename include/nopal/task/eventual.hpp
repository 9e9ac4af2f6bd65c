// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task/eventual.hpp"
#else

#include <exception>
#include <optional>
#include <type_traits>

#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/task/note_outcome.hpp"
#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal {

/// A place for the result of a forked task whose type has a destructor. If an exception ends its
/// scope before the join, it waits for the children of the coroutine that has forked. It must be a
/// variable of that coroutine.
/// \code
/// nopal::task<std::string> name(int n) { co_return std::to_string(n); }
/// nopal::task<std::string> both() {
///   nopal::eventual<std::string> a, b;
///   co_await nopal::fork(&a, name, 1);
///   co_await nopal::fork(&b, name, 2);
///   co_await nopal::join();
///   co_return *a + *b;
/// }
/// \endcode
///
/// An eventual<void> and an eventual<T&> are for code that does not know what its task returns.
template <class T>
class eventual {
  using reference = std::add_lvalue_reference_t<T>;
  using const_reference = std::conditional_t<std::is_reference_v<T>, T, const T&>;

 public:
  eventual() noexcept = default;
  ~eventual() {
    if (parent_ != nullptr) parent_->join_in_place();
  }
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;

  /// Whether the task has ended with a result. Call this and the accessors after the join. With
  /// NOPAL_CHECK the program ends with a message if an accessor finds no value.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  [[nodiscard]] reference operator*() & noexcept { return get(*this); }
  [[nodiscard]] const_reference operator*() const& noexcept { return get(*this); }
  [[nodiscard]] T&& operator*() && noexcept { return static_cast<T&&>(get(*this)); }
  [[nodiscard]] auto operator->() noexcept { return detail::address_of(get(*this)); }
  [[nodiscard]] auto operator->() const noexcept { return detail::address_of(get(*this)); }

 private:
  friend detail::result_access;

  template <class E>
  static auto& get(E& e) noexcept {
#ifdef NOPAL_CHECK
    if (!e.value_.has_value()) [[unlikely]]
      detail::checked_coroutine::no_value_yet();
#endif
    if constexpr (std::is_reference_v<T>)
      return **e.value_;
    else
      return *e.value_;
  }

  std::optional<detail::stored<T>> value_;
  detail::task_promise* parent_ = nullptr;
};

template <>
class eventual<void> {
 public:
  eventual() noexcept = default;
  ~eventual() {
    if (parent_ != nullptr) parent_->join_in_place();
  }
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;

  [[nodiscard]] bool has_value() const noexcept { return has_ended_; }
  void operator*() const noexcept {}

 private:
  friend detail::result_access;

  bool has_ended_ = false;
  [[maybe_unused]] void* child_ = nullptr;  ///< The promise of the child, until that has begun.
  detail::task_promise* parent_ = nullptr;
};

/// A place for the outcome of a forked or called task: what it returns, or what it throws. The join
/// does not throw that exception, so each child of several may fail by itself.
/// \code
/// nopal::task<int> digits(std::string text) { co_return std::stoi(text); }
/// nopal::task<int> sum_of_numbers(std::string one, std::string other) {
///   nopal::try_eventual<int> a, b;
///   co_await nopal::fork(&a, digits, one);
///   co_await nopal::fork(&b, digits, other);
///   co_await nopal::join();
///   co_return (a.has_value() ? *a : 0) + (b.has_value() ? *b : 0);
/// }
/// \endcode
///
/// It waits for its child as an eventual does. T may be void or a reference. An exception that a
/// function throws before it has made its task is not the task's, and goes on from the fork.
/// Complexity: the fork makes a second, small frame.
template <class T>
class try_eventual {
 public:
  try_eventual() noexcept = default;
  ~try_eventual() {
    if (parent_ != nullptr) parent_->join_in_place();
  }
  try_eventual(const try_eventual&) = delete;
  try_eventual& operator=(const try_eventual&) = delete;

  /// Whether the task has ended with a result. Call this and the accessors after the join.
  [[nodiscard]] bool has_value() const noexcept { return outcome_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// Precondition: there is a value.
  std::add_lvalue_reference_t<T> operator*() noexcept {
    if constexpr (!std::is_void_v<T>) return *outcome_;
  }
  std::add_lvalue_reference_t<const T> operator*() const noexcept {
    if constexpr (!std::is_void_v<T>) return *outcome_;
  }
  auto operator->() noexcept
    requires(!std::is_void_v<T>)
  {
    return outcome_.operator->();
  }
  auto operator->() const noexcept
    requires(!std::is_void_v<T>)
  {
    return outcome_.operator->();
  }
  /// The exception that has ended the task, or nullptr.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return outcome_.error(); }
  /// Returns the result, which is moved, or throws the exception. It may be called once.
  T take() { return outcome_.take(); }

 private:
  friend detail::result_access;

  outcome<T> outcome_;
  void* child_ = nullptr;  ///< The promise of the child, until that has begun.
  detail::task_promise* parent_ = nullptr;
};

}  // namespace nopal

#endif
