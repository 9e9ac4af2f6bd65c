// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "nopal/detail/stm/address_ranges.hpp"
#include "nopal/detail/stm/owned_block.hpp"

namespace nopal::detail {

/// What an attempt of a transaction has made.
///
/// Nobody else writes what lies in a block of these, so that reads of it need neither look at a
/// lock nor be noted. What a constructor has allocated besides is not known here, and its locks are
/// noted in the read log. So what is undone, and may have such memory, stays until nobody looks at
/// those any more: at the latest until the attempt has ended, or has slept in retry.
class made_log {
 public:
  struct made_block {
    owned_block what;
    std::size_t bytes;
    bool is_alone;  ///< It has no other memory: its destructor does nothing.
  };

  /// \throws std::bad_alloc; it is unchanged then.
  void add(const made_block& b);
  /// Whether there is nothing, not even what is undone and has to be deleted.
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty() && undone_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  /// Whether `address` lies in a block of these.
  [[nodiscard]] bool contains(const void* address) const noexcept {
    return ranges_.contains(address);
  }

  /// Undoes what came after the first `size`.
  /// \param nobody_looks  no lock in memory of these is in the read log: they are deleted at once.
  void take_back(std::size_t size, bool nobody_looks, block_cache& cache) noexcept;
  /// The transaction has committed: what was not undone is no concern of this log any more.
  void keep() noexcept;
  /// Deletes what was undone. No lock in it is looked at any more. Destructors may run
  /// transactions, which have other logs.
  void free_undone(block_cache& cache) noexcept;

 private:
  std::vector<made_block> blocks_;
  std::vector<owned_block> undone_;  ///< Has room for all blocks.
  address_ranges ranges_;            ///< The blocks cover them.
};

}  // namespace nopal::detail
