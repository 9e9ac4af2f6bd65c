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
/// first. It also holds the views of reducers that its strands have left: the list of nodes is
/// there already, so this costs a fork nothing.
///
/// The end of the list keeps one number for the owner, whose frame has no other room for it.
/// Thread-safety: any thread notes and leaves views; the other functions are the joining strand's,
/// after the last arrival.
class thrown_by_children {
 public:
  /// Leaves it to begin() to initialize this.
  thrown_by_children() noexcept = default;

  /// Initializes this, before any other thread knows it.
  /// \param number  its bit 0 is not kept.
  NOPAL_ALWAYS_INLINE void begin(std::uint64_t number) noexcept { newest_ = number | 1; }

  /// Takes note of `e`. Wait-free. It never fails: the memory is what the C++ runtime has for
  /// exceptions.
  /// \param order  ascends in the serial order of the children. Of two with the same order, the one
  /// noted first was first.
  void note(std::exception_ptr e, std::uint64_t order) noexcept;

  /// Leaves the views of the calling strand, which has come to the end of segment `number` of this
  /// function. The strand calls this on its own stack, before it arrives. Lock-free, except for the
  /// code of the program that merges views.
  void leave_views(std::uint64_t number) noexcept;

  /// Takes all views that were left, linked in the serial order. Returns nullptr if there are none.
  /// Runs no code of the program.
  [[nodiscard]] strand_views* take_views() noexcept;

  [[nodiscard]] bool none() const noexcept { return (newest_ & 1) != 0; }

  /// Takes the serially first exception, or returns nullptr, and drops the others. Called after
  /// take_views().
  [[nodiscard]] std::exception_ptr take_first() noexcept;

  /// Returns the number with bit 0 set.
  /// Precondition: nothing is noted. This is so after take_first(), called by the same thread.
  [[nodiscard]] std::uint64_t number() const noexcept {
    NOPAL_ASSERT(none());
    return newest_;
  }

 private:
  void leave_block(strand_views* mine, std::uint64_t number) noexcept;
  void add(thrown_by_child* node) noexcept;
  [[nodiscard]] left_views* find_views() noexcept;

  /// A thrown_by_child*, or, if bit 0 is set, the end of the list. It is no std::atomic, whose
  /// constructor would write what begin() writes again.
  std::uintptr_t newest_;
};

}  // namespace nopal::detail
