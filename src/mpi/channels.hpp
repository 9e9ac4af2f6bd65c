// SPDX-License-Identifier: Apache-2.0
// The channels of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/post.hpp"
#include "nopal/detail/mpi/channel_end.hpp"

namespace nopal::detail::mpi {

/// Knows which end of a channel a letter is for. It lives as long as the last end, which may be
/// longer than the post.
class channels : public std::enable_shared_from_this<channels> {
 public:
  explicit channels(post& mail) : mail_(mail) {}

  [[nodiscard]] post& mail() const noexcept { return mail_; }

  /// Makes the end of a new channel. One thread at a time does so, in the same order on all ranks,
  /// so all ranks give a channel the same number.
  std::shared_ptr<channel_end> open(int receiver, std::size_t capacity);
  /// Closes all channels. Letters are sent no more after this.
  void end() noexcept;

  /// Hands a letter on. One of a channel that is not there yet is kept; nobody wants one of a
  /// channel that has been destroyed.
  void deliver(kind what, int from, bytes letter);

  /// The destructor of a channel_end calls this.
  void forget(std::uint64_t number) noexcept;

 private:
  struct early_letter {
    kind what;
    int from;
    bytes content;
  };

  static void hand_on(channel_end& to, kind what, int from, bytes letter);

  post& mail_;
  std::mutex mutex_;        ///< It guards what follows, and the life of what `ends_` has.
  std::uint64_t last_ = 0;  ///< The number of the newest channel.
  bool has_ended_ = false;
  std::map<std::uint64_t, channel_end*> ends_;
  std::map<std::uint64_t, std::vector<early_letter>> early_;
};

}  // namespace nopal::detail::mpi
