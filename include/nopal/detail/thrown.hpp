// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace nopal::detail {

struct thrown_by_child;

/// The exceptions of the children of a function that forks, for its join to throw the serially first.
///
/// Also keeps one number for the owner, where the list ends: nothing else of its frame is free then.
/// Thread-safety: any thread notes; the other functions are the joining strand's, after the last arrival.
class thrown_by_children {
 public:
  explicit thrown_by_children(std::uint64_t number = 0) noexcept : newest_(end_of(number)) {}

  void reset(std::uint64_t number) noexcept { newest_.store(end_of(number), std::memory_order_relaxed); }

  /// Takes note of `e`. Wait-free. Never fails: memory comes from where the C++ runtime has it for exceptions.
  /// \param order  ascending in the serial order of the children; of those with the same, the one noted first was first.
  void note(std::exception_ptr e, std::uint64_t order) noexcept;

  /// The serially first exception, or nullptr; the others are dropped.
  [[nodiscard]] std::exception_ptr take_first() noexcept;

  /// The number. Only where nothing is noted: after take_first(), which is the same thread's.
  [[nodiscard]] std::uint64_t number() const noexcept;

 private:
  static constexpr std::uintptr_t end_of(std::uint64_t number) noexcept { return number << 1 | 1; }

  std::atomic<std::uintptr_t> newest_;  ///< A thrown_by_child*, or with bit 0 set the end.
};

}  // namespace nopal::detail
