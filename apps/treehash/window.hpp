// SPDX-License-Identifier: Apache-2.0
// A stretch of a file in memory, read piece by piece in parallel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace treehash {

inline constexpr std::size_t piece_bytes = std::size_t{256} << 10;
inline constexpr std::size_t window_pieces = 4;
inline constexpr std::size_t window_bytes = window_pieces * piece_bytes;

/// Bytes read; fewer than wanted at the end of the file, or before the `error` (an errno value).
struct read_result {
  std::size_t count = 0;
  int error = 0;
};

/// Calls pread until `wanted` bytes are there, or the file ends or fails.
[[nodiscard]] read_result read_at(int file, std::uint64_t offset, std::byte* into,
                                  std::size_t wanted);

/// Whether there is a byte at `offset`. At the end of a file this waits for no disk.
[[nodiscard]] bool goes_on_at(int file, std::uint64_t offset);

class window {
 public:
  window() : bytes_(std::make_unique_for_overwrite<std::byte[]>(window_bytes)) {}

  /// Fills the window from `offset` on, but not past `limit`, with a fork for each piece.
  void read(int file, std::uint64_t offset, std::uint64_t limit);

  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.get(); }
  /// The bytes that are there without a gap: up to the first piece that came back short.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether all that read() wanted is there.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// The error that ended the bytes, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  struct piece {
    std::size_t wanted = 0;
    read_result got;
  };

  void fork_reads(int file, std::uint64_t offset);
  void read_piece(int file, std::uint64_t offset, std::size_t index);
  void join_up() noexcept;

  std::unique_ptr<std::byte[]> bytes_;
  std::array<piece, window_pieces> pieces_;
  std::size_t size_ = 0;
  bool complete_ = true;
  int error_ = 0;
};

}  // namespace treehash
