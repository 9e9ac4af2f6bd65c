// SPDX-License-Identifier: Apache-2.0
#include "scheduler/claims/claims.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

claims::claims(scheduler& runtime)
    : runtime_(runtime), seats_(std::make_unique<seat[]>(runtime.workers())) {
  runtime.crew_.wanted = runtime.crew_.members = runtime.workers();
  for (unsigned i = 0; i < runtime.workers(); ++i) seats_[i].at = &runtime;
}

void claims::open(scheduler& claim, unsigned at_least, unsigned at_most, std::vector<bool> place) {
  {
    const std::lock_guard lock(lock_);
    living_.reserve(living_.size() + 1);  // nothing may fail once workers are promised
    require_free(at_least, place);
    claim.crew_.place = std::move(place);
    living_.push_back(&claim);
    want_more(claim, at_most);
  }
  runtime_.idle_.wake_all();
}

void claims::grow(scheduler& claim, unsigned n) {
  {
    const std::lock_guard lock(lock_);
    require_free(n, claim.crew_.place);
    want_more(claim, n);
  }
  runtime_.idle_.wake_all();
}

void claims::shrink(scheduler& claim, unsigned n) {
  {
    const std::lock_guard lock(lock_);
    if (n >= claim.crew_.wanted)
      throw std::invalid_argument("nopal: a claim of " + std::to_string(claim.crew_.wanted) +
                                  " workers is to shrink by " + std::to_string(n) +
                                  "; one stays, at least, until the claim is destroyed");
    want_less(claim, n);
  }
  claim.idle_.wake_all();
}

void claims::close(scheduler& claim) noexcept {
  std::unique_lock lock(lock_);
  want_less(claim, claim.crew_.wanted);
  claim.idle_.wake_all();
  left_.wait(lock, [&] { return claim.crew_.threads == 0; });
  NOPAL_ASSERT(claim.crew_.members == 0);
  std::erase(living_, &claim);
}

unsigned claims::wanted(const scheduler& of) {
  const std::lock_guard lock(lock_);
  return of.crew_.wanted;
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

/// Returns how many workers a claim could get: of the place, if it is for one.
unsigned claims::free_at(const std::vector<bool>& place) const noexcept {
  NOPAL_ASSERT(runtime_.crew_.wanted != 0);
  const unsigned free = runtime_.crew_.wanted - 1;
  if (place.empty()) return free;
  unsigned there = 0;
  for (unsigned i = 0; i < place.size(); ++i)
    if (place[i] && seats_[i].owner == nullptr) ++there;
  return std::min(free, there);
}

/// Throws if fewer workers are free than are claimed.
void claims::require_free(unsigned at_least, const std::vector<bool>& place) const {
  const unsigned free = free_at(place);
  if (free >= at_least) return;
  const unsigned claimed = runtime_.workers() - runtime_.crew_.wanted;
  const auto are = [](unsigned n) { return n == 1 ? " is " : " are "; };
  std::string text = "nopal: " + std::to_string(at_least) +
                     (at_least == 1 ? " worker is claimed" : " workers are claimed");
  if (!place.empty())
    text += " of a place that " + std::to_string(std::ranges::count(place, true)) + " belong to";
  text += ", and " + std::to_string(free) + " of the " + std::to_string(runtime_.workers()) +
          " of the runtime" + are(free) + "free" + (place.empty() ? "" : " there") +
          ": one stays in the runtime always, and " + std::to_string(claimed) + are(claimed) +
          "in claims. ";
  text += free != 0 ? "Ask for fewer, make" : "Make";
  text += " the runtime with more workers (options::workers, NOPAL_WORKERS)";
  if (claimed != 0) text += ", or let another claim shrink or end first";
  throw std::runtime_error(text);
}

/// Promises a claim as many workers as are free, up to at_most. They come when they have nothing
/// left to run.
void claims::want_more(scheduler& claim, unsigned at_most) noexcept {
  const std::vector<bool>& place = claim.crew_.place;
  const unsigned n = std::min(free_at(place), at_most);
  runtime_.crew_.wanted -= n;
  claim.crew_.wanted += n;
  // Workers in the runtime come first, since they come soonest.
  unsigned owned = 0;
  for (const bool in_runtime : {true, false})
    for (unsigned i = 0; i < place.size() && owned < n; ++i)
      if (place[i] && seats_[i].owner == nullptr && (seats_[i].at == &runtime_) == in_runtime) {
        seats_[i].owner = &claim;
        ++owned;
      }
  NOPAL_ASSERT(place.empty() || owned == n);
  tell_all();
}

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

/// Publishes which workers are called, and how many others each scheduler is to let go. Searchers
/// poll both, and read them without the lock.
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
  // The caller wakes the sleepers after this store, which pairs with the load in may_sleep(),
  // search.cpp.
  of.crew_.surplus.store(surplus, std::memory_order_seq_cst);
}

}  // namespace nopal::detail
