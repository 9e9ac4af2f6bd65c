// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <nopal/nopal.hpp>
#include <span>
#include <system_error>

namespace treehash {
namespace {

// A read that waits for the disk keeps a file open, while its worker goes on with other files. So
// many of them give the disk enough to do, and any further read keeps its worker.
constexpr int most_waiting = 64;
std::atomic<int> reads = 0;

// The function is not inlined because of errno, see tree.cpp.
[[gnu::noinline]] std::size_t read_keeping_worker(int file, std::uint64_t offset,
                                                  std::span<std::byte> into,
                                                  std::error_code& error) {
  ssize_t count = 0;
  do {
    count = pread(file, into.data(), into.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count >= 0) return static_cast<std::size_t>(count);
  error.assign(errno, std::generic_category());
  return 0;
}

}  // namespace

read_result read_at(int file, std::uint64_t offset, std::byte* into, std::size_t wanted) {
  read_result result;
  while (result.count < wanted) {
    const std::span rest(into + result.count, wanted - result.count);
    std::error_code error;
    const bool may_suspend = reads.fetch_add(1, std::memory_order_relaxed) < most_waiting;
    const std::size_t count =
        may_suspend
            ? nopal::io::pread(file, rest, static_cast<std::int64_t>(offset + result.count), error)
            : read_keeping_worker(file, offset + result.count, rest, error);
    reads.fetch_sub(1, std::memory_order_relaxed);
    result.count += count;
    result.error = error.value();
    if (count == 0) break;
  }
  return result;
}

bool goes_on_at(int file, std::uint64_t offset) {
  std::byte byte;
  std::error_code error;
  return read_keeping_worker(file, offset, std::span(&byte, 1), error) == 1;
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
