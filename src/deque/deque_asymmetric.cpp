// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/deque/deque_asymmetric.hpp"

#include <algorithm>
#include <chrono>

#include "deque/timed_fence.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/ticks.hpp"
#include "platform/futex.hpp"

#if defined(__x86_64__)
// Under -flto the linker does not see the jumps to nopal_push_aside, which are in inline assembly.
// This reference makes it load push_aside.cpp before it decides which functions the program needs.
extern "C" void nopal_push_aside() noexcept;
[[gnu::used]] static void (*const jumped_to)() noexcept = nopal_push_aside;
#endif

namespace nopal::detail {

std::int64_t deque_asymmetric::order_with_owner(std::int64_t t) noexcept {
  // Pairs with wanted_by_thieves() and promise_next().
  if (promised_.load(std::memory_order_acquire) >= t) return t;
  announce(t);
  if (!asymmetric_fences) {
    full_fence();  // pairs with the full fence in wanted_by_thieves()
    return t;
  }
  if (const int n = unasked_.load(std::memory_order_relaxed); n != 0)
    unasked_.store(n - 1, std::memory_order_relaxed);
  else if (const std::int64_t p = promised_soon(t); p >= 0)
    return p;
  if (t >= bottom_.load(std::memory_order_relaxed)) return asking;
  emit<deque_events::fencing>();
  timed_thief_fence();
  return t;
}

std::int64_t deque_asymmetric::promised_soon(std::int64_t t) noexcept {
  using clock = std::chrono::steady_clock;
  const clock::time_point until = clock::now() + last_fence_took();
  do {
    cpu_relax();
    // Pairs with wanted_by_thieves().
    if (const std::int64_t p = promised_.load(std::memory_order_acquire); p >= t) {
      // If p is the next one, the owner has taken t, and is about to push p.
      constexpr int rounds = 8;
      for (int n = 0; n < rounds && p >= bottom_.load(std::memory_order_relaxed); ++n) cpu_relax();
      return p;
    }
    if (t >= bottom_.load(std::memory_order_relaxed)) return none;
  } while (clock::now() < until);
  constexpr int few = 8;
  unasked_.store(few, std::memory_order_relaxed);
  return none;
}

void deque_asymmetric::announce(std::int64_t t) noexcept {
  std::int64_t w = wanted_.load(relaxed_at_fence);
  while (w < t && !wanted_.compare_exchange_weak(w, t, relaxed_at_fence, relaxed_at_fence)) {
  }
  if (!asymmetric_fences) return;
  emit<deque_events::announcing>();
  // Each thief asks by another number, so that wanted_by_thieves() does not lower the floor if one
  // has come after it had looked.
  std::int64_t f = floor_.load(std::memory_order_relaxed);
  while (!floor_.compare_exchange_weak(f, std::max(f + 1, asking), std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
  }
}

std::int64_t deque_asymmetric::wanted_by_thieves() noexcept {
  if (!asymmetric_fences) {
    full_fence();  // pairs with the full fence in order_with_owner()
    return wanted_.load(relaxed_at_fence);
  }
  std::int64_t floor = floor_.load(std::memory_order_acquire);  // pairs with announce()
  if (floor < asking) return floor;
  // Pairs with the compare-and-swap in take_at().
  const std::int64_t t = top_.load(std::memory_order_acquire);
  const std::int64_t w = wanted_.load(std::memory_order_relaxed);
  emit<deque_events::answering>();
  std::int64_t promise = promised_.load(std::memory_order_relaxed);
  if (w >= t) {
    // If this pop is one of t, the owner takes t before the thief has seen the answer. So the thief
    // is promised the next position. Whoever takes t, top_ is above t when the pop ends.
    promise = t == bottom_.load(std::memory_order_relaxed) ? t + 1 : t;
    // Pairs with order_with_owner() and promised_soon().
    promised_.store(promise, std::memory_order_release);
  }
  // The floor does not go below what has been taken or promised: a pop of that must not be fast.
  const std::int64_t lowered = std::max({w, t - 1, promise});
  NOPAL_ASSERT(lowered < asking);  // whoever reads it later takes it for a position
  return floor_.compare_exchange_strong(floor, lowered, std::memory_order_relaxed) ? lowered
                                                                                   : floor;
}

void deque_asymmetric::promise_next() noexcept {
  if (!asymmetric_fences) return;
  const std::int64_t t = top_.load(std::memory_order_acquire);
  NOPAL_ASSERT(t == bottom_.load(std::memory_order_relaxed));
  promised_.store(t, std::memory_order_release);  // pairs with order_with_owner()
  std::int64_t f = floor_.load(std::memory_order_relaxed);
  while (f < t && !floor_.compare_exchange_weak(f, t, std::memory_order_relaxed)) {
  }
}

void deque_asymmetric::raise(std::int64_t p) noexcept {
  std::int64_t t = top_.load(std::memory_order_relaxed);
  NOPAL_ASSERT(t == bottom_.load(std::memory_order_relaxed) && t < p);
  announce(p - 1);  // a pop of what is below p must not be fast
  // This pairs with the acquire loads of top_. It succeeds: thieves take nothing that is not there.
  [[maybe_unused]] const bool raised =
      top_.compare_exchange_strong(t, p, std::memory_order_seq_cst, std::memory_order_relaxed);
  NOPAL_ASSERT(raised);
  // The release pairs with the load of bottom_ in steal(): whoever sees this sees the new top.
  bottom_.store(p, std::memory_order_release);
}

bool deque_asymmetric::note_scopes(std::int64_t b) noexcept {
  constexpr std::int64_t ahead = 64;  // this lets few pushes of a deep recursion come here
  circular_array& all = *newest_.load(std::memory_order_relaxed);
  limit_ = all.make_scopes() ? std::min(limit_, b + ahead) : b;
  for (std::int64_t i = b; i < limit_; ++i) all.note_scope(i, scope_);
  return limit_ != b;
}

void deque_asymmetric::promise_next_if_long() noexcept {
  const std::uint64_t now = ticks();
  constexpr int part = 8;  // of five microseconds: this takes some percent of that
  const bool is_long = now - last_promise_ > ticks_of_five_microseconds() / part;
  last_promise_ = now;
  if (is_long) promise_next();
}

}  // namespace nopal::detail
