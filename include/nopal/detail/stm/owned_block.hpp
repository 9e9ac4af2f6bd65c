// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nopal::detail {

class block_cache;

/// A block that a transaction has made or destroys.
struct owned_block {
  void* block;
  void (*free)(void* block, block_cache& cache) noexcept;
};

/// Makes room for `more` elements. A reserve() of just what is needed would move all elements each
/// time.
/// \throws std::bad_alloc; `v` is unchanged then.
template <class T>
void make_room(std::vector<T>& v, std::size_t more) {
  const std::size_t needed = v.size() + more;
  if (needed > v.capacity()) v.reserve(std::max(needed, 2 * v.capacity()));
}

}  // namespace nopal::detail
