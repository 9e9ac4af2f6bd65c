// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

// A program without parallelism has no other rank to wait for.
#ifndef NOPAL_SERIAL

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "nopal/detail/mpi/channel_calls.hpp"
#include "nopal/detail/mpi/channel_end.hpp"
#include "nopal/detail/sync/channel_iterator.hpp"
#include "nopal/detail/wait/wait_call.hpp"

namespace nopal::mpi {

/// Elements on their way from all ranks to one, which receives them. world::channel() makes it.
/// What is said here is what nopal::channel does in one process. docs/mpi.md has the protocol and
/// its argument.
/// \code
/// void squares(nopal::mpi::world& world) {
///   nopal::mpi::channel<int> c = world.channel<int>(0, 100);
///   c.send(world.rank() * world.rank());
///   c.close();
///   if (world.rank() != 0) return;
///   for (int& square : c) std::printf("%d\n", square);
/// }
/// \endcode
///
/// Whoever sends into a full channel, or receives from an empty one, is suspended. The capacity is
/// divided among the ranks: each may have sent as many elements as its share that have not been
/// received.
///
/// This is a handle; copies of it are handles of the same channel. When the last one on a rank is
/// destroyed, close() is called there, and close_receiving() on the rank that receives. The end of
/// the world does the same, whoever still waits.
/// \tparam T  an archive takes it.
/// Order: elements that are sent one after the other from one rank are received in that order.
/// Thread-safety: any strand, task or thread may call any member at any time, but a handle is
/// copied, assigned and destroyed as any object. The last one on a rank is destroyed when nobody
/// there uses the channel.
/// Complexity: an element is turned into bytes and back, and is a message, unless it comes from the
/// rank that receives. For each half of a share there is a message back.
template <class T>
class channel {
 public:
  using value_type = T;
  using iterator = nopal::detail::channel_iterator<channel>;

  /// world::channel() calls this.
  explicit channel(std::shared_ptr<nopal::detail::mpi::channel_end> end) noexcept
      : end_(std::move(end)) {}

  /// Sends `v`. Returns whether it has: not if close() has been called on this rank, or the other
  /// end is closed. Elements that were on their way to an end that was closed early are lost.
  /// A task writes `co_await c.send(v)`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope;
  /// nopal::mpi::error if `v` has more than 2 GB; what serialize() throws.
  auto send(const T& v) { return sending_call<nopal::detail::no_limits>({}, v); }
  /// Sends, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto send(const T& v, const limits& within) {
    return sending_call<nopal::detail::call_limits>({within, nullptr}, v);
  }
  /// Does the same without an exception. Returns false if there is an error.
  auto send(const T& v, std::error_code& error, const limits& within) {
    return sending_call<nopal::detail::call_limits>({within, &error}, v);
  }
  /// Sends if that needs no wait. Returns whether it has.
  bool try_send(const T& v) {
    nopal::detail::mpi::send_to_rank o(*end_, nopal::detail::mpi::letter_of<T>, std::addressof(v));
    return o.take() && o.value();
  }

  /// Receives the next element; nothing if all ranks have called close() and there is none left. A
  /// task writes `co_await c.receive()`.
  /// \throws std::logic_error if this is not the rank that receives, nopal::stopped if it would
  /// have to wait, and a stop comes to the caller's scope; what serialize() throws.
  auto receive() { return receiving_call<nopal::detail::no_limits>({}, *end_); }
  /// Receives, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto receive(const limits& within) {
    return receiving_call<nopal::detail::call_limits>({within, nullptr}, *end_);
  }
  /// Does the same without an exception. Returns nothing if there is an error.
  auto receive(std::error_code& error, const limits& within) {
    return receiving_call<nopal::detail::call_limits>({within, &error}, *end_);
  }
  /// Receives if that needs no wait.
  std::optional<T> try_receive() {
    nopal::detail::mpi::receive_from_ranks<T> o(*end_);
    o.take();
    return o.value();
  }

  /// Lets nothing be sent from this rank any more. Whoever waits to send here goes on, and has not
  /// sent. May be called again.
  void close() noexcept { end_->close(); }
  /// Lets nothing be received any more, and nothing be sent by any rank: a search has found what
  /// was to be found. Whoever waits to send or to receive goes on. May be called again.
  /// \throws std::logic_error if this is not the rank that receives.
  void close_receiving() { end_->close_receiving(); }
  /// Whether nothing can be sent from this rank any more.
  [[nodiscard]] bool is_closed() const noexcept { return end_->is_closed(); }
  /// How many elements there may be that have been sent and not received: what was asked for, or
  /// one for each rank if that is more.
  [[nodiscard]] std::size_t capacity() const noexcept { return end_->capacity(); }

  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  template <class Limits>
  auto sending_call(const Limits& l, const T& v) {
    return nopal::detail::wait_call<nopal::detail::mpi::send_to_rank, Limits>(
        l, *end_, nopal::detail::mpi::letter_of<T>, std::addressof(v));
  }
  template <class Limits>
  using receiving_call =
      nopal::detail::wait_call<nopal::detail::mpi::receive_from_ranks<T>, Limits>;

  std::shared_ptr<nopal::detail::mpi::channel_end> end_;
};

}  // namespace nopal::mpi

#endif
