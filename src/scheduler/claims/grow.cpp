// SPDX-License-Identifier: Apache-2.0
// Claims get workers, and give some back, by these. A program that makes no claim has none of this.
#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/claims/claims.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

void claims::open(scheduler& claim, unsigned at_least, unsigned at_most, std::vector<bool> place) {
  const std::lock_guard lock(lock_);
  living_.reserve(living_.size() + 1);  // nothing may fail once workers are promised
  require_free(at_least, place);
  claim.crew_.place = std::move(place);
  living_.push_back(&claim);
  want_more(claim, at_most);
}

void claims::grow(scheduler& claim, unsigned n) {
  const std::lock_guard lock(lock_);
  require_free(n, claim.crew_.place);
  want_more(claim, n);
}

void claims::shrink(scheduler& claim, unsigned n) {
  const std::lock_guard lock(lock_);
  if (n >= claim.crew_.wanted)
    throw std::invalid_argument("nopal: a claim of " + std::to_string(claim.crew_.wanted) +
                                " workers is to shrink by " + std::to_string(n) +
                                "; one stays, at least, until the claim is destroyed");
  want_less(claim, n);
}

unsigned claims::wanted(const scheduler& of) {
  const std::lock_guard lock(lock_);
  return of.crew_.wanted;
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

}  // namespace nopal::detail
