// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// \throws std::logic_error, which says that a nopal::pending is used that has no result.
[[noreturn, gnu::cold]] NOPAL_NOINLINE inline void no_result_to_get() {
  throw std::logic_error(
      "nopal: a nopal::pending has no result: get() or co_await has taken it already, or the "
      "nopal::pending has been moved from. Take a result once, from the object that it was moved "
      "to, and keep it");
}

/// What a call has returned or thrown, kept for another to take.
template <class T>
class outcome {
 public:
  /// Calls f(), and keeps what it returns or throws.
  template <class F>
  void set_from(F& f) noexcept {
    try {
      if constexpr (std::is_void_v<T>)
        f();
      else if constexpr (std::is_reference_v<T>)
        value_ = std::addressof(static_cast<std::remove_reference_t<T>&>(f()));
      else
        value_.emplace(f());
    } catch (...) {
      exception_ = std::current_exception();
    }
  }

  /// Takes the result, or throws the exception. Called once.
  T take() {
    if (exception_ != nullptr) std::rethrow_exception(std::move(exception_));
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(*value_);
    else if constexpr (!std::is_void_v<T>)
      return std::move(*value_);
  }

 private:
  struct nothing {};
  using kept = std::conditional_t<
      std::is_void_v<T>, nothing,
      std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::optional<T>>>;

  [[no_unique_address]] kept value_{};
  std::exception_ptr exception_;
};

}  // namespace nopal::detail
