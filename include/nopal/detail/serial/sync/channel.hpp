// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/serial/sync/made_call.hpp"
#include "nopal/detail/sync/channel_iterator.hpp"

namespace nopal {
inline namespace serial {

template <class T>
class channel;

namespace serial_detail {

template <class T>
struct receive_case {
  channel<T>* from;
  std::optional<T>* to;

  bool take() { return from->take(*to); }
};

template <class T>
struct send_case {
  channel<T>* to;
  T* given;                 ///< The element, where the sender has it,
  std::optional<T> copied;  ///< or else a copy.

  bool take() {
    if (to->is_closed())
      throw std::system_error(std::make_error_code(std::errc::broken_pipe),
                              "nopal::select: the nopal::channel of a sending case is closed");
    return to->try_send(std::move(given != nullptr ? *given : *copied));
  }
};

}  // namespace serial_detail

template <class T>
class channel {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "nopal::channel: its elements are moved while the channel is locked, so the move "
                "constructor has to be noexcept. Put the element into a std::unique_ptr");

 public:
  using value_type = T;

  explicit channel(std::size_t capacity = 0) : capacity_(capacity) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  auto send(T&& v) { return send_within(std::move(v), {}); }
  auto send(const T& v) { return send_within(v, {}); }
  auto send(T&& v, const limits& within) { return send_within(std::move(v), {&within}); }
  auto send(const T& v, const limits& within) { return send_within(v, {&within}); }
  auto send(T&& v, std::error_code& error, const limits& within) {
    return send_within(std::move(v), {&within, &error});
  }
  auto send(const T& v, std::error_code& error, const limits& within) {
    return send_within(v, {&within, &error});
  }
  bool try_send(T&& v) { return put(std::move(v)); }
  bool try_send(const T& v) { return put(v); }

  auto receive() { return receive_within({}); }
  auto receive(const limits& within) { return receive_within({&within}); }
  auto receive(std::error_code& error, const limits& within) {
    return receive_within({&within, &error});
  }
  std::optional<T> try_receive() {
    std::optional<T> v;
    take(v);
    return v;
  }

  [[nodiscard]] auto receiving(std::optional<T>& to) noexcept {
    return serial_detail::receive_case<T>{this, &to};
  }
  [[nodiscard]] auto sending(T&& v) noexcept { return serial_detail::send_case<T>{this, &v, {}}; }
  [[nodiscard]] auto sending(const T& v) { return serial_detail::send_case<T>{this, nullptr, v}; }

  void close() noexcept { is_closed_ = true; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  using iterator = detail::channel_iterator<channel>;
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend serial_detail::receive_case<T>;

  template <class V>
  bool put(V&& v) {
    if (is_closed_ || elements_.size() == capacity_) return false;
    elements_.push_back(std::forward<V>(v));
    return true;
  }
  /// Returns whether a receiver need not wait.
  bool take(std::optional<T>& to) {
    to.reset();
    if (elements_.empty()) return is_closed_;
    to.emplace(std::move(elements_.front()));
    elements_.pop_front();
    return true;
  }
  template <class V>
  serial_detail::made_call<bool> send_within(V&& v, const serial_detail::call_limits& l) {
    const bool is_done = serial_detail::make("nopal::channel: send", l,
                                             [&] { return is_closed_ || put(std::forward<V>(v)); });
    return is_done && !is_closed_;
  }
  serial_detail::made_call<std::optional<T>> receive_within(const serial_detail::call_limits& l) {
    std::optional<T> v;
    serial_detail::make("nopal::channel: receive", l, [&] { return take(v); });
    return v;
  }

  std::size_t capacity_;
  bool is_closed_ = false;
  std::deque<T> elements_;
};

}  // namespace serial
}  // namespace nopal
