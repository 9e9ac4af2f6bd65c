// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nopal/nopal.hpp>

namespace treehash {

// noinline: see tree.cpp on errno.
[[gnu::noinline]] read_result read_at(int file, std::uint64_t offset, std::byte* into,
                                      std::size_t wanted) {
  read_result result;
  while (result.count < wanted) {
    const ssize_t count = pread(file, into + result.count, wanted - result.count,
                                static_cast<off_t>(offset + result.count));
    if (count > 0) {
      result.count += static_cast<std::size_t>(count);
    } else if (count == 0) {
      break;
    } else if (errno != EINTR) {
      result.error = errno;
      break;
    }
  }
  return result;
}

void window::read_piece(int file, std::uint64_t offset, std::size_t index) {
  const std::size_t begin = index * piece_bytes;
  pieces_[index].got = read_at(file, offset + begin, bytes_.get() + begin, pieces_[index].wanted);
}

NOPAL_FORKS void window::fork_reads(int file, std::uint64_t offset) {
  nopal::fork_frame frame;
  for (std::size_t index = 0; index != window_pieces && pieces_[index].wanted != 0; ++index) {
    frame.fork(&window::read_piece, this, file, offset, index);
  }
  frame.join();
}

void window::join_up() noexcept {
  size_ = 0;
  complete_ = true;
  error_ = 0;
  for (const piece& part : pieces_) {
    size_ += part.got.count;
    if (part.got.count < part.wanted) {
      complete_ = false;
      error_ = part.got.error;
      return;
    }
  }
}

void window::read(int file, std::uint64_t offset, std::uint64_t limit) {
  std::uint64_t left = limit - offset;
  for (piece& part : pieces_) {
    part = {.wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_bytes)),
            .got = {}};
    left -= part.wanted;
  }
  fork_reads(file, offset);
  join_up();
}

}  // namespace treehash
