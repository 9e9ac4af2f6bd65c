// SPDX-License-Identifier: Apache-2.0
// This folds what blocks are found to be, by halves of a fixed shape.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns combine(left, right) of the halves of a part, and leaf(block) of one block. The part is
/// not empty. The halves are those of fold().
// This function is not inlined, because of what it throws: see held_exception.hpp.
template <class U, class Leaf, class Combine>
NOPAL_NOINLINE U folded_blocks(part p, std::ptrdiff_t grain, const Leaf& leaf,
                               const Combine& combine) {
  if (p.size() <= grain) {
    check_block();
    return leaf(p);
  }
  const std::ptrdiff_t middle = p.middle(grain);
  std::optional<U> left, right;
  parallel_invoke(
      [&] { left.emplace(folded_blocks<U>(part{p.from, middle}, grain, leaf, combine)); },
      [&] { right.emplace(folded_blocks<U>(part{middle, p.to}, grain, leaf, combine)); });
  return combine(*std::move(left), *std::move(right));
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
