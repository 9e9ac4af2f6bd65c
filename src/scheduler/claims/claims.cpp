// SPDX-License-Identifier: Apache-2.0
#include "scheduler/claims/claims.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

claims::claims(scheduler& runtime)
    : runtime_(runtime), seats_(std::make_unique<seat[]>(runtime.workers())) {
  runtime.crew_.wanted = runtime.crew_.members = runtime.workers();
  for (unsigned i = 0; i < runtime.workers(); ++i) seats_[i].at = &runtime;
}

void claims::close(scheduler& claim) noexcept {
  std::unique_lock lock(lock_);
  want_less(claim, claim.crew_.wanted);
  left_.wait(lock, [&] { return claim.crew_.threads == 0; });
  NOPAL_ASSERT(claim.crew_.members == 0);
  std::erase(living_, &claim);
}

bool claims::any() {
  const std::lock_guard lock(lock_);
  return !living_.empty();
}

scheduler* claims::leave(scheduler& from, unsigned index) noexcept {
  const std::lock_guard lock(lock_);
  seat& s = seats_[index];
  NOPAL_ASSERT(s.at == &from);
  const bool called = s.called.load(std::memory_order_relaxed);
  if (!called && from.crew_.surplus.load(std::memory_order_relaxed) == 0) return nullptr;
  scheduler* to = &runtime_;
  if (&from == &runtime_) {
    const auto lacks_one = [](const scheduler* c) {
      return c->crew_.place.empty() && c->crew_.members - c->crew_.called < c->crew_.wanted;
    };
    const auto claim = std::ranges::find_if(living_, lacks_one);
    NOPAL_ASSERT(called || claim != living_.end());  // otherwise there would be no surplus
    to = called ? s.owner : *claim;
    ++to->crew_.threads;
  }
  --from.crew_.members;
  ++to->crew_.members;
  s.at = to;
  tell_all();
  NOPAL_ASSERT(runtime_.crew_.members != 0);  // a last member is no surplus
  return to;
}

void claims::left(scheduler& claim) noexcept {
  const std::lock_guard lock(lock_);  // the lock outlives the claim, which may end at once
  if (--claim.crew_.threads == 0) left_.notify_all();
}

// The caller has the lock, as for all functions that follow.

/// Gives `n` workers of a claim back. Those that have not come yet are the first.
void claims::want_less(scheduler& claim, unsigned n) noexcept {
  claim.crew_.wanted -= n;
  runtime_.crew_.wanted += n;
  unsigned given = 0;
  for (const bool absent : {true, false})
    for (unsigned i = runtime_.workers(); i-- != 0 && given < n;)
      if (seats_[i].owner == &claim && (seats_[i].at != &claim) == absent) {
        seats_[i].owner = nullptr;
        ++given;
      }
  tell_all();
}

/// Publishes whether a worker is called.
void claims::call(seat& s, bool called) noexcept {
  // The store pairs with the load in may_sleep(), search.cpp, as that in tell_all() does.
  if (s.called.exchange(called, std::memory_order_seq_cst) || !called) return;
  s.at->idle_.wake_all();
}

/// Publishes which workers are called, and how many others each scheduler is to let go, and wakes
/// those that sleep where somebody is to go. Searchers poll both, and read them without the lock.
///
/// A claim gives up those that it does not want. The runtime gives up those that are owned, and
/// then as many others as claims of any place lack, but one always stays. A claim may lack a worker
/// that is late to come back from another claim; the runtime lends one of its own meanwhile.
void claims::tell_all() noexcept {
  unsigned may_go = runtime_.crew_.members - 1;
  for (scheduler* claim : living_) claim->crew_.called = 0;
  for (unsigned i = 0; i < runtime_.workers(); ++i) {
    seat& s = seats_[i];
    const bool is_right = s.owner != nullptr ? s.at == s.owner : s.at->crew_.place.empty();
    const bool called = !is_right && (s.at != &runtime_ || may_go != 0);
    if (called) ++s.at->crew_.called;
    if (called && s.at == &runtime_) --may_go;
    call(s, called);
  }
  unsigned lacking = 0;
  for (scheduler* claim : living_) {
    const crew& c = claim->crew_;
    const unsigned stay = c.members - c.called;
    lacking += c.place.empty() ? c.wanted - std::min(c.wanted, stay) : 0;
    tell(*claim, c.place.empty() && stay > c.wanted ? stay - c.wanted : 0);
  }
  tell(runtime_, std::min(lacking, may_go));
}

void claims::tell(scheduler& of, unsigned surplus) noexcept {
  // The store pairs with the load in may_sleep(), search.cpp. Any scheduler may get a surplus by
  // any change of the books, so whoever makes the change cannot know whom to wake.
  if (of.crew_.surplus.exchange(surplus, std::memory_order_seq_cst) < surplus) of.idle_.wake_all();
}

}  // namespace nopal::detail
