// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/owned_block.hpp"

namespace nopal::detail {

/// A block that was destroyed by the commit that made `version`.
struct retired_block {
  owned_block what;
  std::uint64_t version;
};

/// Holds what a transaction destroys. It also holds what earlier transactions with this log have
/// destroyed and others may still read.
class destroyed_log {
 public:
  /// Whether the running transaction has destroyed nothing.
  [[nodiscard]] bool empty() const noexcept { return destroyed_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return destroyed_.size(); }
  /// Adds `b`. Returns false if it is in the log already, which is then unchanged.
  /// \throws std::bad_alloc; the log is unchanged then.
  [[nodiscard]] bool add(const owned_block& b);
  /// Undoes what came after the first `size`.
  void take_back(std::size_t size) noexcept;
  void clear() noexcept {
    if (destroyed_.empty()) return;
    destroyed_.clear();
    index_.clear();
  }

  /// Makes room for retire(), while the commit can still fail.
  /// \throws std::bad_alloc
  void make_room_to_retire();
  /// Notes that the transaction has committed with this version.
  void retire(std::uint64_t version) noexcept;

  [[nodiscard]] bool wants_reclaim() const noexcept { return retired_.size() >= reclaim_at_; }
  [[nodiscard]] bool has_retired() const noexcept { return !retired_.empty(); }
  /// Frees what commits up to `oldest` have destroyed.
  void reclaim(std::uint64_t oldest, block_cache& cache) noexcept;

 private:
  static constexpr std::size_t fewest_to_reclaim = 64;

  std::vector<owned_block> destroyed_;
  address_index index_;  ///< Finds the blocks of destroyed_.
  std::vector<retired_block> retired_;
  address_index index_of_retired_;
  std::size_t reclaim_at_ = fewest_to_reclaim;
};

}  // namespace nopal::detail
