// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/stm/address_index.hpp"

#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace nopal::detail {

/// Doubles the table. It is never more than half full.
void address_index::grow() {
  const std::size_t old_capacity = capacity();
  const std::size_t new_capacity = old_capacity == 0 ? 32 : 2 * old_capacity;
  std::unique_ptr<entry[]> old = std::make_unique<entry[]>(new_capacity);
  old.swap(entries_);
  mask_ = new_capacity - 1;
  most_ = new_capacity / 2;
  shift_ = 64 - static_cast<unsigned>(std::bit_width(mask_));
  for (std::size_t i = 0; i < old_capacity; ++i)
    if (old[i].generation == generation_) place(old[i].key, old[i].position);
}

}  // namespace nopal::detail
