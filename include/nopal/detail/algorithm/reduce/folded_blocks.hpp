// SPDX-License-Identifier: Apache-2.0
// This folds what blocks are found to be, by halves of a fixed shape.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/pace.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Does what folded_part() does for a part that is not worth a fork.
template <class U, class Leaf, class Combine>
U folded_in_a_row(part p, std::ptrdiff_t grain, const Leaf& leaf, const Combine& combine) {
  if (p.size() <= grain) return leaf(p);
  const std::ptrdiff_t middle = p.middle(grain);
  U left = folded_in_a_row<U>(part{p.from, middle}, grain, leaf, combine);
  return combine(std::move(left), folded_in_a_row<U>(part{middle, p.to}, grain, leaf, combine));
}

/// Folds the blocks of a part by halves. Forks them, unless that part is too short for it.
// This function is not inlined, because of what it throws: see held_exception.hpp.
template <class U, class Leaf, class Combine>
NOPAL_NOINLINE U folded_part(part p, std::ptrdiff_t grain, const Leaf& leaf, const Combine& combine,
                             pace& at) {
  if (p.size() <= grain) {
    check_block();
    return at.timed_block(p, [&]() -> U { return leaf(p); });
  }
  if (at.is_too_short(p)) {
    check_block();
    return at.timed(p, [&]() -> U { return folded_in_a_row<U>(p, grain, leaf, combine); });
  }
  const std::ptrdiff_t middle = p.middle(grain);
  std::optional<U> left, right;
  parallel_invoke(
      [&] { left.emplace(folded_part<U>(part{p.from, middle}, grain, leaf, combine, at)); },
      [&] { right.emplace(folded_part<U>(part{middle, p.to}, grain, leaf, combine, at)); });
  return combine(*std::move(left), *std::move(right));
}

/// Returns combine(left, right) of the halves of n elements, at least one, and leaf(block) of one
/// block. The halves are the same whether they are forked or not.
/// \param by_hand  the grain that the caller of the algorithm has given, or 0.
template <class U, class Leaf, class Combine>
U folded_blocks(std::ptrdiff_t n, std::size_t by_hand, block_limits limits, const Leaf& leaf,
                const Combine& combine) {
  const std::ptrdiff_t grain = chosen_grain(by_hand, n, limits);
  pace at(by_hand, n, grain);
  return folded_part<U>({0, n}, grain, leaf, combine, at);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
