// SPDX-License-Identifier: Apache-2.0
// Loops that may end early run in windows, each longer than the one before, so that little is done
// in vain behind the place where they end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What is known of a loop's elements.
enum class element_cost : unsigned char {
  unknown,
  least,  ///< A few bytes of memory each, and an instruction or two.
};

/// So many of the cheapest elements make one block if no grain is given. It takes about a
/// microsecond, so a fork costs it little, and a loop that is no longer than that runs as it would
/// without nopal.
inline constexpr std::ptrdiff_t block_of_cheapest = 16384;

#ifdef NOPAL_SERIAL

template <class Leaf>
void for_each_in_windows(std::ptrdiff_t n, std::size_t, element_cost, const Leaf& leaf,
                         const std::atomic<std::ptrdiff_t>* = nullptr) {
  check_block();
  leaf(part{0, n});
}

#else

/// Runs `body` for blocks that make up the elements 0 … n - 1, of which there is at least one.
///
/// The first blocks have 1, 64, 4096 … elements, until one takes some microseconds. So a short loop
/// makes few blocks, whatever its elements cost, and dear elements run in parallel from the first
/// one on. What follows is run by run_loop().
///
/// If the loop may end early, what follows is cut into windows. No element behind a window is
/// touched before all of it has been run. The first gives each worker some blocks, and each of the
/// next is twice as long as the one before: so the elements that are run in vain are no more than
/// those before the end of the loop, and a few blocks for each worker. Without windows, the first
/// thief would take the second half of the range, which is in vain whenever the loop ends in the
/// first half. At the end of each window all workers wait for the last one, for less than a block,
/// and there are O(log n) windows.
/// \param by_hand  how long the blocks are; 0: as long as fits what they cost.
/// \param end  the number of the element before which the loop ends; it may decrease while the loop
/// runs. nullptr: all elements are run.
void run_in_windows(std::ptrdiff_t n, std::size_t by_hand, element_cost cost, loop_body body,
                    const std::atomic<std::ptrdiff_t>* end);

/// Calls leaf(block) for blocks that make up the elements 0 … n - 1, as run_in_windows() does.
template <class Leaf>
void for_each_in_windows(std::ptrdiff_t n, std::size_t by_hand, element_cost cost, const Leaf& leaf,
                         const std::atomic<std::ptrdiff_t>* end = nullptr) {
  const auto run = [](const void* l, part block) { (*static_cast<const Leaf*>(l))(block); };
  run_in_windows(n, by_hand, cost, {run, &leaf}, end);
}

#endif

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
