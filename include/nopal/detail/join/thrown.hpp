// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/strand/strand_views.hpp"

namespace nopal::detail {

class left_views;
struct thrown_by_child;

/// The exceptions of the children of a function that forks, for its join to throw the serially
/// first. And the views of reducers that its strands have left, which a list of nodes that is there
/// already can hold at no cost to a fork.
///
/// Also keeps one number for the owner, where the list ends: nothing else of its frame is free
/// then.
/// Thread-safety: any thread notes and leaves views; the other functions are the joining strand's,
/// after the last arrival.
class thrown_by_children {
 public:
  /// Begins with begin().
  thrown_by_children() noexcept = default;

  /// Before any other thread knows this.
  /// \param number  its bit 0 is not kept.
  NOPAL_ALWAYS_INLINE void begin(std::uint64_t number) noexcept { newest_ = number | 1; }

  /// Takes note of `e`. Wait-free. Never fails: memory comes from where the C++ runtime has it for
  /// exceptions.
  /// \param order  ascending in the serial order of the children; of those with the same, the one
  /// noted first was first.
  void note(std::exception_ptr e, std::uint64_t order) noexcept;

  /// The calling strand has come to the end of segment `number` of this function, and leaves its
  /// views. Before it arrives, on its own stack. Lock-free, but for the code of the program that
  /// merges views.
  void leave_views(std::uint64_t number) noexcept;

  /// All views that were left, linked in the serial order; nullptr if there are none. Runs no code
  /// of the program.
  [[nodiscard]] strand_views* take_views() noexcept;

  [[nodiscard]] bool none() const noexcept { return (newest_ & 1) != 0; }

  /// The serially first exception, or nullptr; the others are dropped. After take_views().
  [[nodiscard]] std::exception_ptr take_first() noexcept;

  /// The number with bit 0 set. Only where nothing is noted: after take_first(), which is the same
  /// thread's.
  [[nodiscard]] std::uint64_t number() const noexcept {
    NOPAL_ASSERT(none());
    return newest_;
  }

 private:
  void leave_block(strand_views* mine, std::uint64_t number) noexcept;
  void add(thrown_by_child* node) noexcept;
  [[nodiscard]] left_views* find_views() noexcept;

  /// A thrown_by_child*, or with bit 0 set the end. No std::atomic, whose constructor would write
  /// what begin() writes again.
  std::uintptr_t newest_;
};

}  // namespace nopal::detail
