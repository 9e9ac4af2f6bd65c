// SPDX-License-Identifier: Apache-2.0
// What rank 0 keeps in a file, so that a run which has ended early can go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::bytes;

/// What is left of the operations of a world, or their results, and the file that has them.
/// Thread-safety: none; the thread that makes collective calls uses it.
class saving {
 public:
  /// Reads the file, if there is one.
  /// \throws nopal::mpi::error if no run has saved it, or it is damaged; std::system_error if it
  /// cannot be read, or none can be made in its place.
  explicit saving(std::filesystem::path file);

  /// Counts an operation that begins, from 1.
  std::uint64_t begin() noexcept { return ++begun_; }
  /// Returns what a run before this one has saved of an operation, if it has.
  /// \throws nopal::mpi::error if that was of another type.
  [[nodiscard]] std::optional<bytes> kept(std::uint64_t operation, std::uint64_t type) const;
  void keep(std::uint64_t operation, std::uint64_t type, bytes left);
  /// Counts an operation that has come to its result.
  void finish() noexcept { ++finished_; }

  /// Replaces the file at once, or says on stderr why not, and keeps the one that is there.
  void write() const noexcept;
  /// Removes the file, if all operations have come to their results, and it has no others.
  void end() const noexcept;

 private:
  struct entry {
    std::uint64_t type;
    bytes left;
  };

  void read();
  void replace(const bytes& content) const;
  /// Where a new file is written.
  [[nodiscard]] std::filesystem::path part() const { return file_.string() + ".part"; }

  std::filesystem::path file_;
  std::map<std::uint64_t, entry> entries_;
  std::uint64_t begun_ = 0;
  std::uint64_t finished_ = 0;
};

}  // namespace nopal::detail::mpi
