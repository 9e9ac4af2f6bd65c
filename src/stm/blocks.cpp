// SPDX-License-Identifier: Apache-2.0
// These are the logs of what transactions have made, and of what they destroy.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/stm/address_ranges.hpp"
#include "nopal/detail/stm/destroyed_log.hpp"
#include "nopal/detail/stm/made_log.hpp"

namespace nopal::detail {

// --- address_ranges ------------------------------------------------------------------------------

void address_ranges::make_room() { detail::make_room(ranges_, 1); }

void address_ranges::add(const void* begin, std::size_t bytes) noexcept {
  NOPAL_ASSERT(ranges_.size() < ranges_.capacity());
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  ranges_.push_back({at, at + bytes});
  // The last runs, and the new range, become one run.
  const std::size_t run = std::size_t{1} << std::countr_zero(ranges_.size());
  std::sort(ranges_.end() - static_cast<std::ptrdiff_t>(run), ranges_.end(),
            [](const range& a, const range& b) { return a.begin < b.begin; });
}

/// Searches run after run. The lengths of the runs are the powers of two in the number of ranges,
/// the longest first.
bool address_ranges::contains(const void* address) const noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  auto first = ranges_.begin();
  while (first != ranges_.end()) {
    const auto rest = static_cast<std::size_t>(ranges_.end() - first);
    const auto end = first + static_cast<std::ptrdiff_t>(std::bit_floor(rest));
    const auto after = std::upper_bound(
        first, end, a, [](std::uintptr_t x, const range& r) { return x < r.begin; });
    if (after != first && a < (after - 1)->end) return true;
    first = end;
  }
  return false;
}

// --- made_log ------------------------------------------------------------------------------------

void made_log::add(const made_block& b) {
  make_room(blocks_, 1);
  make_room(undone_, blocks_.size() + 1);
  ranges_.make_room();
  blocks_.push_back(b);
  ranges_.add(b.what.block, b.bytes);
}

void made_log::take_back(std::size_t size, bool nobody_looks, block_cache& cache) noexcept {
  if (blocks_.size() == size) return;
  for (; blocks_.size() > size; blocks_.pop_back()) {
    const made_block& b = blocks_.back();
    if (b.is_alone || nobody_looks)
      b.what.free(b.what.block, cache);
    else
      undone_.push_back(b.what);
  }
  ranges_.clear();
  for (const made_block& b : blocks_) ranges_.add(b.what.block, b.bytes);
}

void made_log::keep() noexcept {
  blocks_.clear();
  ranges_.clear();
}

void made_log::free_undone(block_cache& cache) noexcept {
  NOPAL_ASSERT(blocks_.empty());
  for (const owned_block& b : undone_) b.free(b.block, cache);
  undone_.clear();
}

// --- destroyed_log -------------------------------------------------------------------------------

bool destroyed_log::add(const owned_block& b) {
  if (index_.find(b.block) != address_index::nowhere) return false;
  if (index_of_retired_.find(b.block) != address_index::nowhere) return false;
  make_room(destroyed_, 1);
  index_.make_room();
  destroyed_.push_back(b);
  index_.add(b.block, 0);
  return true;
}

void destroyed_log::take_back(std::size_t size) noexcept {
  if (destroyed_.size() == size) return;
  destroyed_.resize(size);
  index_.clear();
  for (const owned_block& b : destroyed_) index_.add(b.block, 0);
}

void destroyed_log::make_room_to_retire() {
  make_room(retired_, destroyed_.size());
  index_of_retired_.make_room(destroyed_.size());
}

void destroyed_log::retire(std::uint64_t version) noexcept {
  for (const owned_block& b : destroyed_) {
    retired_.push_back({b, version});
    index_of_retired_.add(b.block, 0);
  }
}

void destroyed_log::reclaim(std::uint64_t oldest, block_cache& cache) noexcept {
  // Destructors may run transactions, which have other logs.
  std::vector<retired_block> retired = std::exchange(retired_, {});
  const auto kept = std::partition(retired.begin(), retired.end(),
                                   [&](const retired_block& r) { return r.version > oldest; });
  index_of_retired_.clear();
  for (auto r = retired.begin(); r != kept; ++r) index_of_retired_.add(r->what.block, 0);
  for (auto r = kept; r != retired.end(); ++r) r->what.free(r->what.block, cache);
  retired.erase(kept, retired.end());
  retired_ = std::move(retired);
  reclaim_at_ = std::max(fewest_to_reclaim, 2 * retired_.size());
}

}  // namespace nopal::detail
