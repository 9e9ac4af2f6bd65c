// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "nopal/detail/stm/address_ranges.hpp"
#include "nopal/detail/stm/owned_block.hpp"

namespace nopal::detail {

/// Holds what an attempt of a transaction has made.
///
/// Nobody else writes into such a block, so reads of it need neither look at a lock nor be noted.
/// Other memory that a constructor has allocated is not known here, and its locks are noted in the
/// read log. So a block that is undone, and may have such memory, stays until nobody looks at those
/// locks any more: at the latest until the attempt has ended, or has slept in retry.
class made_log {
 public:
  struct made_block {
    owned_block what;
    std::size_t bytes;
    bool is_alone;  ///< Whether it has no other memory: its destructor does nothing.
  };

  /// \throws std::bad_alloc; the log is unchanged then.
  void add(const made_block& b);
  /// Whether the log has no block, not even one that is undone and has to be deleted.
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty() && undone_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  /// Whether `address` lies in a block that was made and not undone.
  [[nodiscard]] bool contains(const void* address) const noexcept {
    return ranges_.contains(address);
  }

  /// Undoes what came after the first `size`.
  /// \param nobody_looks  whether no lock in the memory of these objects is in the read log. If so,
  /// they are deleted at once.
  void take_back(std::size_t size, bool nobody_looks, block_cache& cache) noexcept;
  /// Notes that the transaction has committed. The log forgets what was not undone.
  void keep() noexcept;
  /// Deletes what was undone. Destructors may run transactions, which have other logs.
  /// Precondition: nobody looks at a lock in it any more.
  void free_undone(block_cache& cache) noexcept;

 private:
  std::vector<made_block> blocks_;
  std::vector<owned_block> undone_;  ///< Has room for all blocks.
  address_ranges ranges_;            ///< The addresses in blocks_.
};

}  // namespace nopal::detail
