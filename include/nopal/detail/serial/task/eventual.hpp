// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/task/stored.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal {
inline namespace serial {

template <class T>
class task;
template <class T>
class eventual;
template <class T>
class try_eventual;

namespace serial_detail {

struct access;

using detail::stored;

/// Whether a place is written by a task of its own, which calls the child.
template <class R>
inline constexpr bool notes_outcome = false;
template <>
inline constexpr bool notes_outcome<eventual<void>> = true;
template <class T>
inline constexpr bool notes_outcome<try_eventual<T>> = true;

template <class T>
inline constexpr bool is_eventual = notes_outcome<T>;
template <class T>
inline constexpr bool is_eventual<eventual<T>> = true;

}  // namespace serial_detail

template <class T>
class eventual {
  using reference = std::add_lvalue_reference_t<T>;
  using const_reference = std::conditional_t<std::is_reference_v<T>, T, const T&>;

 public:
  eventual() noexcept = default;
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;

  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  [[nodiscard]] reference operator*() & noexcept { return get(*this); }
  [[nodiscard]] const_reference operator*() const& noexcept { return get(*this); }
  [[nodiscard]] T&& operator*() && noexcept { return static_cast<T&&>(get(*this)); }
  [[nodiscard]] auto operator->() noexcept { return std::addressof(get(*this)); }
  [[nodiscard]] auto operator->() const noexcept { return std::addressof(get(*this)); }

 private:
  friend serial_detail::access;

  template <class E>
  static auto& get(E& e) noexcept {
    if constexpr (std::is_reference_v<T>)
      return **e.value_;
    else
      return *e.value_;
  }

  std::optional<serial_detail::stored<T>> value_;
};

template <>
class eventual<void> {
 public:
  eventual() noexcept = default;
  eventual(const eventual&) = delete;
  eventual& operator=(const eventual&) = delete;

  [[nodiscard]] bool has_value() const noexcept { return has_ended_; }
  void operator*() const noexcept {}

 private:
  friend serial_detail::access;
  bool has_ended_ = false;
};

template <class T>
class try_eventual {
 public:
  try_eventual() noexcept = default;
  try_eventual(const try_eventual&) = delete;
  try_eventual& operator=(const try_eventual&) = delete;

  [[nodiscard]] bool has_value() const noexcept { return outcome_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
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
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return outcome_.error(); }
  T take() { return outcome_.take(); }

 private:
  friend serial_detail::access;
  outcome<T> outcome_;
};

}  // namespace serial
}  // namespace nopal
