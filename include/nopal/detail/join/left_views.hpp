// SPDX-License-Identifier: Apache-2.0
// The views that strands leave at a join, and how they are merged in the serial order.
// docs/reducer.md has the protocol and its argument.
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/strand/strand_views.hpp"

namespace nopal::detail {

/// The blocks of segments that the strands of one join have left, sorted, and no two of them
/// neighbours.
///
/// Thread-safety: any thread may leave views. Lock-free, except for the code of the program that
/// merges views.
class left_views {
 public:
  /// Leaves `mine`, which is not nullptr, as segment `number`, merged with its neighbours. The
  /// strand calls this on its own stack, before it arrives.
  void leave(strand_views* mine, std::uint64_t number) noexcept;

  /// Does the same for a segment that has no place in the order: it comes behind all those left so
  /// far.
  void leave_unordered(strand_views* mine) noexcept;

  /// Takes all blocks, linked in their order. Returns nullptr if there are none.
  [[nodiscard]] strand_views* take() noexcept {
    // The acquire pairs with the release in put_all().
    return list_.exchange(nullptr, std::memory_order_acquire);
  }

  /// Whether nothing has been left, or somebody is about to put back what there is.
  [[nodiscard]] bool looks_empty() const noexcept {
    return list_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  bool put_all(strand_views* list) noexcept;

  std::atomic<strand_views*> list_{nullptr};
};

/// Makes a block without a view. Returns nullptr if there is no memory for it.
strand_views* block_without_views() noexcept;

/// Makes one sorted list of two. Runs no code of the program.
strand_views* sorted(strand_views* a, strand_views* b) noexcept;

/// Links `rest` behind `first`. Each may be nullptr. Runs no code of the program.
strand_views* linked(strand_views* first, strand_views* rest) noexcept;

/// Merges linked views, and puts them behind the views that the calling strand has. The mark of an
/// exception ends here.
void go_on_with_product(strand_views* linked) noexcept;

/// Lets the calling strand go on behind linked views that the serial program would not have made.
void go_on_without(strand_views* dropped) noexcept;

/// Lets the calling strand go on behind a join of many, at which the views that it finds are linked
/// and not merged yet.
inline void merge_linked_views() noexcept {
  if (strand_views* v = take_views_of_strand()) [[unlikely]]
    go_on_with_product(v);
}

/// Notes that the segment of the calling strand ends by an exception.
void mark_views_thrown() noexcept;

}  // namespace nopal::detail
