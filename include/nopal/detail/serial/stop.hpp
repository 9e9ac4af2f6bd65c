// SPDX-License-Identifier: Apache-2.0
// The serial elision of nopal/stop.hpp. Only what asks sees a stop: no wait does.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/serial/parallel_invoke.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal {
inline namespace serial {

namespace serial_detail {

/// What a stop comes to: the function that runs in it. It lies with its caller.
class stop_scope {
 public:
  explicit stop_scope(const limits& within) : within_(within) { current() = this; }
  ~stop_scope() { current() = outer_; }
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;

  static stop_scope*& current() noexcept {
    static thread_local stop_scope* of_thread = nullptr;
    return of_thread;
  }
  std::stop_source source;

  [[nodiscard]] bool is_over() const noexcept {
    return within_.deadline != limits::moment::max() &&
           std::chrono::steady_clock::now() >= within_.deadline;
  }
  /// Whether a stop has come to this or to what is around it.
  [[nodiscard]] bool is_stopped() noexcept {
    if (!source.stop_requested() &&
        (within_.stop.stop_requested() || is_over() || is_stopped_outside()))
      source.request_stop();
    return source.stop_requested();
  }
  [[nodiscard]] bool is_stopped_outside() const noexcept {
    return outer_ != nullptr && outer_->is_stopped();
  }

 private:
  limits within_;
  stop_scope* outer_ = current();
};

template <class... F>
using common_result = std::common_type_t<std::decay_t<std::invoke_result_t<F&>>...>;

}  // namespace serial_detail

[[nodiscard]] inline bool stop_requested() noexcept {
  serial_detail::stop_scope* s = serial_detail::stop_scope::current();
  return s != nullptr && s->is_stopped();
}

inline void check_stop() {
  if (stop_requested()) throw stopped("nopal::check_stop ended by a requested stop");
}

[[nodiscard]] inline std::stop_token current_stop_token() noexcept {
  const serial_detail::stop_scope* s = serial_detail::stop_scope::current();
  return s != nullptr ? s->source.get_token() : std::stop_token();
}

template <class F, class... A>
decltype(auto) with_stop(const std::stop_token& t, F&& f, A&&... args) {
  const serial_detail::stop_scope scope(t);
  return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
}

template <class F, class... A>
decltype(auto) with_deadline(const limits& within, F&& f, A&&... args) {
  const serial_detail::stop_scope scope(within);
  try {
    return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
  } catch (const stopped&) {
    if (!scope.is_over() || within.stop.stop_requested() || scope.is_stopped_outside()) throw;
    throw std::system_error(std::make_error_code(std::errc::timed_out),
                            "nopal::with_deadline ended by its deadline");
  }
}

template <class F, class... A>
decltype(auto) without_stop(F&& f, A&&... args) {
  struct left_scope {
    serial_detail::stop_scope* const scope =
        std::exchange(serial_detail::stop_scope::current(), nullptr);
    ~left_scope() { serial_detail::stop_scope::current() = scope; }
  };
  const left_scope left;
  return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
}

/// The elision calls one after the other, until one returns.
template <class... F>
  requires(sizeof...(F) > 0)
auto first_of(F&&... f) {
  using result = serial_detail::common_result<F...>;
  std::exception_ptr first_error;
  std::exception_ptr first_stop;
  std::optional<std::conditional_t<std::is_void_v<result>, bool, result>> got;
  const auto is_done = [&](auto& one) {
    try {
      const serial_detail::stop_scope scope{limits()};
      if constexpr (std::is_void_v<result>) {
        detail::invoke_to_end(one);
        got = true;
      } else {
        got.emplace(detail::invoke_to_end(one));
      }
      return true;
    } catch (const stopped&) {
      if (first_stop == nullptr) first_stop = std::current_exception();
    } catch (...) {
      if (first_error == nullptr) first_error = std::current_exception();
    }
    return false;
  };
  if (!(is_done(f) || ...)) std::rethrow_exception(first_error ? first_error : first_stop);
  if constexpr (!std::is_void_v<result>) return std::move(*got);
}

template <class... F>
  requires(sizeof...(F) > 0)
decltype(auto) any_error_stops(F&&... f) {
  const serial_detail::stop_scope scope{limits()};
  return parallel_invoke(f...);
}

}  // namespace serial
}  // namespace nopal
