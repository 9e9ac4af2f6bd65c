// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/stm/read_log.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace nopal::detail {

/// Doubles the room for locks. The nullptr before the first lock lets add() compare with the newest
/// lock without a question whether there is one.
void read_log::grow() {
  const std::size_t old_size = locks_ ? size() : 0;
  const std::size_t new_size = old_size == 0 ? 64 : 2 * old_size;
  auto bigger = std::make_unique<const versioned_lock*[]>(1 + new_size);
  if (locks_) std::copy(begin(), end(), bigger.get() + 1);
  locks_ = std::move(bigger);
  end_ = begin() + old_size;
  limit_ = begin() + new_size;
}

}  // namespace nopal::detail
