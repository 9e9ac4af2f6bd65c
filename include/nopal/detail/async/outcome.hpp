// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace nopal::detail {

/// What a call has returned or thrown, kept for somebody else to take.
template <class T>
class outcome {
 public:
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

  /// Once.
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
