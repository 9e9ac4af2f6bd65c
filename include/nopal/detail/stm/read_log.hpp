// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"

namespace nopal::detail {

/// The locks of what a transaction has read, in the order of the reads.
class read_log {
 public:
  /// \throws std::bad_alloc
  read_log() { grow(); }

  /// Adds a lock, unless it is the last one: fields of one object are often read in a row.
  /// \throws std::bad_alloc; the log is unchanged then.
  NOPAL_ALWAYS_INLINE void add(const versioned_lock& l) {
    if (end_[-1] == &l) return;
    if (end_ == limit_) [[unlikely]]
      grow();
    *end_++ = &l;
  }

  /// Does what add() does, unless the lock is in the log already.
  void add_once(const versioned_lock& l) {
    if (index_.find(&l) != address_index::nowhere) return;
    index_.make_room();
    add(l);
    index_.add(&l, 0);
  }

  void clear() noexcept {
    end_ = begin();
    index_.clear();
  }

  [[nodiscard]] const versioned_lock** begin() const noexcept { return locks_.get() + 1; }
  [[nodiscard]] const versioned_lock** end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(end_ - begin());
  }
  [[nodiscard]] bool empty() const noexcept { return end_ == begin(); }

 private:
  NOPAL_NOINLINE void grow();

  std::unique_ptr<const versioned_lock*[]> locks_;  ///< A nullptr, then the locks.
  const versioned_lock** end_ = nullptr;
  const versioned_lock** limit_ = nullptr;
  address_index index_;
};

}  // namespace nopal::detail
