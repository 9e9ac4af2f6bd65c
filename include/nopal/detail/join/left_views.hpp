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
/// Thread-safety: any thread leaves. Lock-free, but for the code of the program that merges views.
class left_views {
 public:
  /// Leaves `mine`, which is not nullptr, as segment `number`, merged with its neighbours. Before
  /// the calling strand arrives, on its own stack.
  void leave(strand_views* mine, std::uint64_t number) noexcept;

  /// The same for a segment that has no place in the order: it comes last of those left so far.
  void leave_unordered(strand_views* mine) noexcept;

  /// All blocks, linked in their order; nullptr if there are none.
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

/// A block without a view; nullptr if there is no memory for it.
strand_views* block_without_views() noexcept;

/// Two sorted lists become one. Runs no code of the program.
strand_views* sorted(strand_views* a, strand_views* b) noexcept;

/// `first`, and behind it `rest`; each may be nullptr. Runs no code of the program.
strand_views* linked(strand_views* first, strand_views* rest) noexcept;

/// The product of linked views becomes that of the calling strand, behind the views that it has.
/// The mark of an exception ends here.
void go_on_with_product(strand_views* linked) noexcept;

/// The calling strand goes on behind linked views to which the serial program would not have come.
void go_on_without(strand_views* dropped) noexcept;

/// The calling strand goes on behind a join of many, where the views that it finds are linked and
/// not merged yet.
inline void merge_linked_views() noexcept {
  if (strand_views* v = take_views_of_strand()) [[unlikely]]
    go_on_with_product(v);
}

/// The segment of the calling strand ends by an exception.
void mark_views_thrown() noexcept;

}  // namespace nopal::detail
