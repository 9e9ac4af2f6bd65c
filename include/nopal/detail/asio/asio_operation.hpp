// SPDX-License-Identifier: Apache-2.0
// A task awaits an operation of Boost.Asio by these.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace nopal::detail {

/// The values that an operation completes with. The first value may say what has failed.
template <class... A>
class asio_completion {
  using all = std::tuple<std::decay_t<A>...>;
  template <class Error>
  static constexpr bool begins_with = [] {
    if constexpr (sizeof...(A) == 0)
      return false;
    else
      return std::is_same_v<std::tuple_element_t<0, all>, Error>;
  }();
  static constexpr std::size_t errors =
      begins_with<boost::system::error_code> || begins_with<std::exception_ptr> ? 1 : 0;

 public:
  template <class... B>
  void set(B&&... values) {
    came_.emplace(std::forward<B>(values)...);
  }

  /// Returns nothing, the one value, or a std::tuple of several.
  auto take() {
    all& came = *came_;
    if constexpr (begins_with<boost::system::error_code>) {
      if (std::get<0>(came)) throw boost::system::system_error(std::get<0>(came));
    } else if constexpr (begins_with<std::exception_ptr>) {
      if (std::get<0>(came) != nullptr) std::rethrow_exception(std::get<0>(came));
    }
    return values(came, std::make_index_sequence<sizeof...(A) - errors>());
  }

 private:
  template <std::size_t... I>
  static auto values(all& came, std::index_sequence<I...>) {
    if constexpr (sizeof...(I) == 0)
      return;
    else if constexpr (sizeof...(I) == 1)
      return std::get<errors>(std::move(came));
    else
      return std::tuple(std::get<errors + I>(std::move(came))...);
  }

  std::optional<all> came_;
};

/// The handler of an operation. It owns the handle of the task: if an executor ends with this in
/// its queue, the handle is destroyed.
template <class... A>
class asio_handler {
 public:
  asio_handler(asio_completion<A...>& c, std::coroutine_handle<> h) noexcept
      : completion_(&c), task_(h) {}
  asio_handler(asio_handler&& other) noexcept
      : completion_(other.completion_), task_(std::exchange(other.task_, nullptr)) {}
  asio_handler& operator=(asio_handler&&) = delete;
  ~asio_handler() {
    if (task_ != nullptr) task_.destroy();
  }

  template <class... B>
  void operator()(B&&... values) {
    completion_->set(std::forward<B>(values)...);
    std::exchange(task_, nullptr).resume();
  }

 private:
  asio_completion<A...>* completion_;
  std::coroutine_handle<> task_;
};

/// Starts an operation by start(handler), and waits for its completion with values of the types A.
template <class Start, class... A>
class asio_operation {
 public:
  explicit asio_operation(Start& start) noexcept : start_(&start) {}

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) { (*start_)(asio_handler<A...>(completion_, h)); }
  auto await_resume() { return completion_.take(); }

 private:
  Start* start_;
  asio_completion<A...> completion_;
};

}  // namespace nopal::detail
