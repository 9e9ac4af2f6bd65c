// SPDX-License-Identifier: Apache-2.0
#include "strand/stack_supply.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "strand/events.hpp"
#include "strand/shortage/no_stack.hpp"

namespace nopal::detail {

void stack_supply::provide_first(strand_worker& w) {
  if (strategy_ != nullptr) return;  // the strategy has the addresses of all
  errno = ENOMEM;
  if (!ensure_spare(w))
    throw no_stack("a strand's stack", bytes_, errno,
                   ", or lower nopal::options::stack_bytes or NOPAL_STACK_BYTES");
  w.cache.put(std::exchange(w.spare, nullptr));
}

bool stack_supply::ensure_spare(strand_worker& w) noexcept {
  if (w.spare != nullptr) return true;
  w.spare = w.cache.get();
  const auto take_from = [&w](strand_worker& other) {
    w.spare = w.cache.get_from(other.cache);
    if (w.spare != nullptr) w.count.add(&counts::stacks_stolen);
  };
  for (std::size_t i = 0; w.spare == nullptr && i < w.nearest.size(); ++i)
    take_from(*workers_[w.nearest[i]]);
  for (strand_worker* g = guests_.load(std::memory_order_acquire);  // pairs with add_guest()
       w.spare == nullptr && g != nullptr; g = g->next_guest)
    if (g != &w) take_from(*g);
  if (w.spare == nullptr && mapped_.fetch_add(1, std::memory_order_relaxed) < most_) {
    w.spare = strategy_ != nullptr ? strategy_->make() : w.cache.map(bytes_);
    if (w.spare != nullptr) w.count.add(&counts::stacks_mapped);
  }
  w.refused = w.spare == nullptr;
  if (w.refused) mapped_.fetch_sub(1, std::memory_order_relaxed);
  return !w.refused;
}

stack& stack_supply::occupy_spare(strand_worker& w) noexcept {
  NOPAL_ASSERT(w.spare != nullptr && w.current == nullptr);
  stack* s = std::exchange(w.spare, nullptr);
  s->begin_strand();
  s->call = w.call.load(std::memory_order_relaxed);
  w.current = s;
  if (strategy_ != nullptr) w.publish_current();
  count_as_used(*s);
  const std::size_t now = in_use_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (std::size_t peak = peak_in_use_.load(std::memory_order_relaxed);
       peak < now && !peak_in_use_.compare_exchange_weak(peak, now, std::memory_order_relaxed);) {
  }
  return *s;
}

void stack_supply::occupy_again(strand_worker& w, stack& s) noexcept {
  NOPAL_ASSERT(w.current == nullptr);
  if (s.left_by != &w) w.count.add(&counts::foreign_resumptions);
  w.deque.begin_above(s.pushed_below);
  w.call.store(s.call, std::memory_order_relaxed);  // a hint, for guests
  w.current = &s;
  if (strategy_ != nullptr) {
    strategy_->go_on(w, s);
    w.publish_current();
  }
  count_as_used(s);
  // The spare kept its stale pages for the next strand, which does not begin now. It may keep a few
  // in the place of `s`.
  if (w.spare != nullptr && !w.spare->unreclaimed) reclaim(w, *w.spare, nullptr);
}

void stack_supply::leave(strand_worker& w, stack& s, void* live) noexcept {
  NOPAL_ASSERT(s.holds(live));
  s.left_by = &w;
  s.pushed_below = w.deque.end();
  reclaim(w, s, live);
}

void stack_supply::release(strand_worker& w, stack& s) noexcept {
  NOPAL_ASSERT(!s.lent());  // a lent stack is its thread's
  [[maybe_unused]] const std::size_t before = in_use_.fetch_sub(1, std::memory_order_relaxed);
  NOPAL_ASSERT(before != 0);
  emit<strand_events::reclaiming>();
  if (w.spare == nullptr)
    w.spare = &s;
  else
    put_away(w, s);
}

void stack_supply::give_up_spare(strand_worker& w) noexcept {
  if (w.spare != nullptr) put_away(w, *std::exchange(w.spare, nullptr));
}

/// Puts a free stack into the cache of `w`, after its stale pages have gone back to the kernel.
void stack_supply::put_away(strand_worker& w, stack& s) noexcept {
  if (!s.unreclaimed) reclaim(w, s, nullptr);
  w.cache.put(&s);
}

/// Takes a stack that keeps stale pages out of their count, since a strand is about to use them.
void stack_supply::count_as_used(stack& s) noexcept {
  if (!s.unreclaimed) return;
  s.unreclaimed = false;
  unreclaimed_.fetch_sub(1, std::memory_order_relaxed);
}

/// Gives the pages of `s` below `live` back to the kernel, if the policy says so.
void stack_supply::reclaim(strand_worker& w, stack& s, void* live) noexcept {
  emit<strand_events::reclaiming>();
  if (s.lent() || !must_reclaim(s, live)) return;
  w.count.add(&counts::unmaps);
  emit<strand_events::giving_back>();
  w.count.add(&counts::pages_given_back, s.reclaim(live, policy_ == reclaim_policy::free));
  emit<strand_events::gave_back>();
}

/// Decides by the policy whether the pages below `live` go back. Otherwise `s` is counted among the
/// stacks that keep some.
bool stack_supply::must_reclaim(stack& s, void* live) noexcept {
  if (policy_ != reclaim_policy::adaptive) return policy_ != reclaim_policy::none;
  if (std::exchange(s.waits, false)) return s.has_stale_pages_in_wait(live);
  // docs/strand.md: as many stacks as there are workers and guests may keep a few stale pages each,
  // whatever the program.
  constexpr std::size_t few_pages = 4;
  const auto most = static_cast<std::int64_t>(workers_.size()) +
                    number_of_guests_.load(std::memory_order_relaxed);
  if (unreclaimed_.fetch_add(1, std::memory_order_relaxed) < most &&
      s.stale_pages(live) <= few_pages) {
    s.unreclaimed = true;
    return false;
  }
  unreclaimed_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

std::vector<unsigned> nearest_first(unsigned self, const std::vector<unsigned>& distances) {
  std::vector<unsigned> order;
  const auto workers = static_cast<unsigned>(distances.size());
  for (unsigned i = 1; i < workers; ++i) order.push_back((self + i) % workers);
  std::ranges::sort(order, {}, [&](unsigned other) {
    return std::pair(distances[other], (other + workers - self) % workers);
  });
  return order;
}

std::size_t stack_supply::resident_pages() const noexcept {
  if (strategy_ != nullptr) return strategy_->resident_pages();
  std::size_t pages = 0;
  const auto add = [&pages](const strand_worker& w) {
    w.cache.for_each_mapped([&](const stack& s) { pages += s.resident_pages(); });
  };
  for (const strand_worker* w : workers_) add(*w);
  for (const strand_worker* g = guests_.load(std::memory_order_acquire);  // pairs with add_guest()
       g != nullptr; g = g->next_guest)
    add(*g);
  return pages;
}

void stack_supply::add_guest(strand_worker& g) {
  for (unsigned i = 0; i < workers_.size(); ++i) g.nearest.push_back(i);
  number_of_guests_.fetch_add(1, std::memory_order_relaxed);
  g.next_guest = guests_.load(std::memory_order_relaxed);
  // The release pairs with the acquires above.
  while (!guests_.compare_exchange_weak(g.next_guest, &g, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
}

}  // namespace nopal::detail
