// SPDX-License-Identifier: Apache-2.0
// The serial elision has worker 0 alone.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/async/checked_local.hpp"

namespace nopal {
inline namespace serial {

[[nodiscard]] inline std::optional<unsigned> current_worker() noexcept { return 0; }
[[nodiscard]] inline unsigned thread_number() noexcept { return 0; }

template <std::invocable F>
decltype(auto) on_this_thread(F&& f) {
  return std::invoke(std::forward<F>(f));
}

template <class T>
class worker_local {
 public:
  worker_local() : make_(detail::default_maker<T>()) {}
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, worker_local>)
  explicit worker_local(F&& make) : make_(detail::maker<T>(std::forward<F>(make))) {}
  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;

  template <class F>
  decltype(auto) with(F&& f) {
    if constexpr (detail::check_with<T, F>()) {
      if (value_ == nullptr) value_.reset(new T(make_()));
      return std::invoke(std::forward<F>(f), *value_);
    }
  }

  template <class Op>
  [[nodiscard]] std::optional<T> combine(Op) const {
    if constexpr (detail::check_combine<T, Op>())
      if (value_ != nullptr) return *value_;
    return std::nullopt;
  }

 private:
  std::function<T()> make_;
  std::unique_ptr<T> value_;
};

}  // namespace serial
}  // namespace nopal
