// SPDX-License-Identifier: Apache-2.0
// Loops whose elements are independent of each other run block by block, and are halved when they
// are stolen.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

#ifdef NOPAL_SERIAL

template <class Leaf>
void for_each_block(part p, std::size_t, const Leaf& leaf) {
  leaf(p);
}

#else

/// What a loop does, for the library: run(leaf, block) runs the elements of one block. A block is
/// long compared with a call through a pointer, so all loops share one copy of what cuts and forks
/// them.
struct loop_body {
  void (*run)(const void* leaf, part block);
  const void* leaf;
};

/// Runs `body` for blocks that make up a part that is not empty.
/// \param by_hand  how long the blocks are; 0: as long as fits what they cost.
void run_loop(part all, std::size_t by_hand, loop_body body);

/// Calls leaf(block) for blocks that make up a part that is not empty, as run_loop() does.
template <class Leaf>
void for_each_block(part all, std::size_t by_hand, const Leaf& leaf) {
  const auto run = [](const void* l, part block) { (*static_cast<const Leaf*>(l))(block); };
  run_loop(all, by_hand, {run, &leaf});
}

#endif

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
