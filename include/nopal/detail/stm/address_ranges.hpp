// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nopal::detail {

/// Disjoint ranges of addresses, and whether an address lies in one of them.
///
/// The ranges lie in sorted runs, whose lengths are the powers of two that make up their number
/// (Bentley and Saxe 1980): to add n of them takes O(n log² n) steps, and to find one O(log² n).
class address_ranges {
 public:
  /// Makes room for one more range.
  /// \throws std::bad_alloc; nothing is changed then.
  void make_room();
  /// Precondition: make_room() was called.
  void add(const void* begin, std::size_t bytes) noexcept;
  [[nodiscard]] bool contains(const void* address) const noexcept;
  void clear() noexcept { ranges_.clear(); }

 private:
  struct range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  std::vector<range> ranges_;
};

}  // namespace nopal::detail
