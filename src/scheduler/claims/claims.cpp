// SPDX-License-Identifier: Apache-2.0
#include "scheduler/claims/claims.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

claims::claims(scheduler& runtime) noexcept : runtime_(runtime) {
  runtime.crew_.wanted = runtime.crew_.members = runtime.workers();
}

void claims::open(scheduler& claim, unsigned at_least, unsigned at_most) {
  {
    const std::lock_guard lock(lock_);
    living_.reserve(living_.size() + 1);  // nothing may fail once workers are promised
    require_free(at_least);
    living_.push_back(&claim);
    want_more(claim, at_most);
  }
  runtime_.idle_.wake_all();
}

void claims::grow(scheduler& claim, unsigned n) {
  {
    const std::lock_guard lock(lock_);
    require_free(n);
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
    claim.crew_.wanted -= n;
    runtime_.crew_.wanted += n;
    tell(claim);
    tell(runtime_);
  }
  claim.idle_.wake_all();
}

void claims::close(scheduler& claim) noexcept {
  std::unique_lock lock(lock_);
  runtime_.crew_.wanted += std::exchange(claim.crew_.wanted, 0);
  tell(claim);
  tell(runtime_);
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

scheduler* claims::leave(scheduler& from) noexcept {
  const std::lock_guard lock(lock_);
  if (surplus(from) == 0) return nullptr;
  scheduler* to = &runtime_;
  if (&from == &runtime_) {
    const auto lacks_one = [](const scheduler* c) { return c->crew_.members < c->crew_.wanted; };
    const auto claim = std::ranges::find_if(living_, lacks_one);
    NOPAL_ASSERT(claim != living_.end());  // otherwise there would be no surplus
    to = *claim;
    ++to->crew_.threads;
  }
  --from.crew_.members;
  ++to->crew_.members;
  tell(from);
  tell(*to);
  NOPAL_ASSERT(runtime_.crew_.members != 0);  // a last member is no surplus
  return to;
}

void claims::left(scheduler& claim) noexcept {
  const std::lock_guard lock(lock_);  // the lock outlives the claim, which may end at once
  if (--claim.crew_.threads == 0) left_.notify_all();
}

// The caller has the lock, as for all functions that follow.

/// Throws if fewer workers are free than are claimed.
void claims::require_free(unsigned at_least) const {
  NOPAL_ASSERT(runtime_.crew_.wanted != 0);
  const unsigned free = runtime_.crew_.wanted - 1;
  if (free >= at_least) return;
  const unsigned claimed = runtime_.workers() - 1 - free;
  const auto are = [](unsigned n) { return n == 1 ? " is " : " are "; };
  std::string text = "nopal: " + std::to_string(at_least) +
                     (at_least == 1 ? " worker is claimed, and " : " workers are claimed, and ") +
                     std::to_string(free) + " of the " + std::to_string(runtime_.workers()) +
                     " of the runtime" + are(free) + "free: one stays in the runtime always, and " +
                     std::to_string(claimed) + are(claimed) + "in claims. ";
  text += free != 0 ? "Ask for fewer, make" : "Make";
  text += " the runtime with more workers (options::workers, NOPAL_WORKERS)";
  if (claimed != 0) text += ", or let another claim shrink or end first";
  throw std::runtime_error(text);
}

/// Promises a claim as many workers as are free, up to at_most. They come when they have nothing
/// left to run.
void claims::want_more(scheduler& claim, unsigned at_most) noexcept {
  const unsigned n = std::min(runtime_.crew_.wanted - 1, at_most);
  runtime_.crew_.wanted -= n;
  claim.crew_.wanted += n;
  tell(runtime_);
  tell(claim);
}

/// Returns how many members are to leave. A claim gives up those that it does not want. The runtime
/// gives up as many as claims lack, but one always stays. A claim may lack a worker that is late to
/// come back from another claim; the runtime lends one of its own meanwhile.
unsigned claims::surplus(const scheduler& of) const noexcept {
  const crew& c = of.crew_;
  if (&of != &runtime_) return c.members > c.wanted ? c.members - c.wanted : 0;
  unsigned lacking = 0;
  for (const scheduler* claim : living_)
    lacking += claim->crew_.wanted - std::min(claim->crew_.wanted, claim->crew_.members);
  return std::min(lacking, c.members - 1);
}

/// Publishes how many members of `of` are to leave. Searchers poll that, and read it without the
/// lock.
void claims::tell(scheduler& of) noexcept {
  // The caller wakes the sleepers after this store, which pairs with the load in may_sleep(),
  // search.cpp.
  of.crew_.surplus.store(surplus(of), std::memory_order_seq_cst);
}

}  // namespace nopal::detail
