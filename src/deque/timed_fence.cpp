// SPDX-License-Identifier: Apache-2.0
#include "deque/timed_fence.hpp"

#include <algorithm>
#include <atomic>

#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {
namespace {

using clock = std::chrono::steady_clock;

// Relaxed accesses are enough: only how long a thief waits depends on it.
std::atomic<clock::duration> fence_takes{std::chrono::microseconds(1)};

}  // namespace

void timed_thief_fence() noexcept {
  const clock::time_point start = clock::now();
  thief_fence();
  constexpr clock::duration most = std::chrono::microseconds(20);
  fence_takes.store(std::min(clock::now() - start, most), std::memory_order_relaxed);
}

clock::duration last_fence_took() noexcept { return fence_takes.load(std::memory_order_relaxed); }

}  // namespace nopal::detail
