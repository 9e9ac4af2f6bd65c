// SPDX-License-Identifier: Apache-2.0
// What a rank has of a channel between ranks: docs/mpi.md has the protocol and its argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "nopal/mpi/archive.hpp"
#include "nopal/sync/channel.hpp"
#include "nopal/sync/semaphore.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::bytes;

class channels;

/// An element, as it has come to the rank that receives.
struct sent_element {
  int from;
  bytes letter;  ///< The number of the channel, and the element.
};

/// A channel, as one rank takes part in it. Any thread may call any member.
class channel_end {
 public:
  /// \param number  the same on all ranks.
  /// \param windows  how many elements each rank may have sent that have not been received.
  channel_end(std::shared_ptr<channels> all, std::uint64_t number, int receiver,
              std::vector<std::size_t> windows);
  /// Closes the channel here, and lets `all` forget it.
  ~channel_end();
  channel_end(const channel_end&) = delete;
  channel_end& operator=(const channel_end&) = delete;

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// How many elements may have been sent that have not been received.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Permits to send an element each. When nothing can be sent any more there are enough of them
  /// for everybody: nobody waits in vain.
  [[nodiscard]] semaphore& credits() noexcept { return credits_; }
  /// Sends an element, for a credit that the caller has. Returns false if nothing can be sent.
  /// \throws nopal::mpi::error if it is too long. The caller then still has the credit.
  bool send(bytes letter);
  void close() noexcept;
  [[nodiscard]] bool is_closed() const noexcept;

  /// The elements that have come.
  /// \param call  is named in the message.
  /// \throws std::logic_error if this rank does not receive.
  [[nodiscard]] nopal::channel<sent_element>& elements(const char* call);
  /// Notes that the program has got an element from a rank, which may send another one for it.
  void note_received(int from);
  /// Lets nothing be received any more, and tells all ranks.
  /// \throws std::logic_error if this rank does not receive.
  void close_receiving();
  /// Closes whatever is open here.
  void close_both() noexcept;

  // The thread that receives letters calls these.
  void got_element(int from, bytes letter);
  void got_credits(std::size_t n);
  void got_close();

 private:
  // These are called while `mutex_` is held.
  void stop_sending() noexcept;
  void tell_closed(int to);
  void note_closed();
  void put(int from, bytes letter);
  void add_credits(std::size_t n) noexcept;

  const std::shared_ptr<channels> all_;
  const std::uint64_t number_;
  const int receiver_;
  const int rank_;
  const std::vector<std::size_t> windows_;
  const std::size_t capacity_;
  semaphore credits_;
  std::optional<nopal::channel<sent_element>> elements_;  ///< On the rank that receives.

  mutable std::mutex mutex_;  ///< It guards what follows, and the order in which letters are sent.
  bool is_closed_ = false;    ///< Whether nothing can be sent from here.
  bool is_receiving_;         ///< Whether this rank receives, and has not closed that.
  std::size_t open_;          ///< Ranks that have not closed. Counted by the rank that receives.
  std::vector<std::size_t> owed_;  ///< Credits that are to be given back, by rank.
};

}  // namespace nopal::detail::mpi
