// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "nopal/detail/sync/channel_cases.hpp"
#include "nopal/detail/sync/channel_iterator.hpp"
#include "nopal/detail/sync/element_ring.hpp"
#include "nopal/detail/wait/wait_call.hpp"

namespace nopal {

/// Elements on their way from strands, tasks and threads to others, in the order in which they were
/// sent. docs/sync.md has the protocol and its argument.
/// \code
/// nopal::channel<int> squares(10);
/// nopal::parallel_invoke(
///     [&] {
///       for (int i = 0; i < 100; ++i) squares.send(i * i);
///       squares.close();
///     },
///     [&] {
///       for (int& s : squares) std::printf("%d\n", s);
///     });
/// \endcode
///
/// Whoever sends into a full channel, or receives from an empty one, is suspended. A channel
/// without room is a rendezvous: whoever sends waits until the element has been received.
/// \tparam T  it is moved, without exceptions, while the channel is locked; so its move constructor
/// must not wait.
/// Thread-safety: any strand, task or thread may call any member at any time. The channel may be
/// destroyed when nobody uses it; what is in it is destroyed then.
/// Fairness: of those that wait, the one that has waited longest is served first. One that comes
/// when nobody waits is served at once.
/// Complexity: constant, apart from close(), and an allocation in the constructor.
template <class T>
class channel {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "nopal::channel: its elements are moved while the channel is locked, so the move "
                "constructor has to be noexcept. Put the element into a std::unique_ptr");

 public:
  using value_type = T;

  /// Makes a channel with room for `capacity` elements.
  /// \throws std::bad_alloc
  explicit channel(std::size_t capacity = 0) : elements_(capacity) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Sends `v`. Returns whether it has: not if the channel is closed, and then `v` is as it was.
  /// A task writes `co_await ch.send(v)`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto send(T&& v) { return sending_call<detail::no_limits>({}, *this, std::move(v)); }
  auto send(const T& v) { return sending_call<detail::no_limits>({}, *this, v); }
  /// Sends, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto send(T&& v, const limits& within) {
    return sending_call<detail::call_limits>({within, nullptr}, *this, std::move(v));
  }
  auto send(const T& v, const limits& within) {
    return sending_call<detail::call_limits>({within, nullptr}, *this, v);
  }
  /// Does the same without an exception. Returns false if there is an error.
  auto send(T&& v, std::error_code& error, const limits& within) {
    return sending_call<detail::call_limits>({within, &error}, *this, std::move(v));
  }
  auto send(const T& v, std::error_code& error, const limits& within) {
    return sending_call<detail::call_limits>({within, &error}, *this, v);
  }
  /// Sends if that needs no wait. Returns whether it has.
  bool try_send(T&& v) { return detail::send_operation<T>(*this, std::move(v)).try_to(); }
  bool try_send(const T& v) { return detail::send_operation<T>(*this, v).try_to(); }

  /// Receives the next element; nothing if the channel is closed and empty. A task writes
  /// `co_await ch.receive()`.
  /// \code
  /// nopal::channel<int> ch(1);
  /// ch.send(1);
  /// ch.close();
  /// int sum = 0;
  /// while (std::optional<int> v = ch.receive()) sum += *v;
  /// \endcode
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto receive() { return receiving_call<detail::no_limits>({}, *this); }
  /// Receives, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto receive(const limits& within) {
    return receiving_call<detail::call_limits>({within, nullptr}, *this);
  }
  /// Does the same without an exception. Returns nothing if there is an error.
  auto receive(std::error_code& error, const limits& within) {
    return receiving_call<detail::call_limits>({within, &error}, *this);
  }
  /// Receives if that needs no wait.
  std::optional<T> try_receive() {
    detail::receive_operation<T> o(*this);
    o.take();
    return o.value();
  }

  /// A case of a nopal::select() that receives into `to`: nothing if the channel is closed.
  /// select() empties `to` before anything else, whichever case it takes.
  [[nodiscard]] auto receiving(std::optional<T>& to) noexcept {
    return detail::receive_case<T>(*this, &to);
  }
  /// A case of a nopal::select() that sends `v`, which is moved from only if this case is taken.
  /// The case is taken if the channel is closed, and then select() throws std::system_error with
  /// std::errc::broken_pipe.
  [[nodiscard]] auto sending(T&& v) noexcept { return detail::send_case<T>(*this, std::move(v)); }
  [[nodiscard]] auto sending(const T& v) { return detail::send_case<T>(*this, v); }

  /// Lets everything that is in the channel be received, and nothing be sent any more. Whoever
  /// waits to send goes on with its element; whoever waits to receive goes on with nothing. May be
  /// called again.
  void close() noexcept {
    detail::taken_offers ended;
    {
      const std::lock_guard held(lock_);
      is_closed_ = true;
      ended.add_all(receivers_);
      ended.add_all(senders_);
    }
    ended.complete();
  }
  [[nodiscard]] bool is_closed() const noexcept {
    const std::lock_guard held(lock_);
    return is_closed_;
  }
  /// Elements that are in the channel now.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard held(lock_);
    return elements_.size();
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return elements_.capacity(); }

  /// Goes over what is received, until the channel is closed and empty.
  using iterator = detail::channel_iterator<channel>;
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend detail::receive_case<T>;
  friend detail::send_case<T>;

  template <class Limits>
  using sending_call = detail::wait_call<detail::send_operation<T>, Limits>;
  template <class Limits>
  using receiving_call = detail::wait_call<detail::receive_operation<T>, Limits>;

  mutable detail::brief_lock lock_;  ///< It guards all of the rest.
  bool is_closed_ = false;
  detail::element_ring<T> elements_;
  detail::offer_list receivers_;  ///< Somebody waits here only if there is no element,
  detail::offer_list senders_;    ///< and here only if there is no room.
};

}  // namespace nopal

#endif
