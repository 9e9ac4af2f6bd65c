// SPDX-License-Identifier: Apache-2.0
// The serial elision has worker 0 alone.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace nopal {
inline namespace serial {

template <class T>
class worker_local {
 public:
  worker_local()
    requires std::default_initializable<T>
      : worker_local([] { return T(); }) {}
  explicit worker_local(std::function<T()> make) : make_(std::move(make)) {}
  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;

  template <std::invocable<T&> F>
  decltype(auto) with(F&& f) {
    if (value_ == nullptr) value_.reset(new T(make_()));
    return std::invoke(std::forward<F>(f), *value_);
  }

  template <class Op>
    requires std::copy_constructible<T> && std::is_invocable_r_v<T, Op&, T, const T&>
  [[nodiscard]] std::optional<T> combine(Op) const {
    return value_ != nullptr ? std::optional<T>(*value_) : std::nullopt;
  }

 private:
  std::function<T()> make_;
  std::unique_ptr<T> value_;
};

}  // namespace serial
}  // namespace nopal
