// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/hazard.hpp"

#include <chrono>

#include "deque/timed_fence.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/events.hpp"
#include "platform/futex.hpp"

namespace nopal::detail {

namespace {

/// Waits, for no longer than the fence would take, until a consumer has left the chunk. Returns
/// whether it has. wait_or_fence() asks this, because whoever has left needs no fence.
bool leaves_soon(const hazard& of, const chunk_node* n) noexcept {
  using clock = std::chrono::steady_clock;
  const clock::time_point until = clock::now() + last_fence_took();
  do {
    cpu_relax();
    if (of.node() != n) return true;
  } while (clock::now() < until);
  return false;
}

}  // namespace

void wait_or_fence(const hazard& of, const chunk_node* n, unsigned& unasked) noexcept {
  if (!asymmetric_fences) return full_fence();  // pairs with light_fence() in salsa::take()
  if (n != nullptr && unasked != 0) {
    --unasked;
  } else if (n != nullptr) {
    if (leaves_soon(of, n)) return;
    constexpr unsigned few = 8;
    unasked = few;
  }
  emit<pool_events::fencing>();
  timed_thief_fence();  // pairs with light_fence() in salsa::take()
}

}  // namespace nopal::detail
