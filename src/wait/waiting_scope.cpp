// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/wait/waiting_scope.hpp"

#include <mutex>
#include <utility>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

waiting_scope::waiting_scope(std::stop_source s) noexcept
    : stop_scope(std::move(s)), on_stop_(source.get_token(), stop_function{this}) {}

// These are not inlined into a function that waits. A stop callback recognizes its own thread by
// the id, which compilers take for a constant.
NOPAL_NOINLINE waiting_scope::~waiting_scope() = default;
NOPAL_NOINLINE stopped_by::~stopped_by() = default;

NOPAL_NOINLINE void stopped_by::begin(const std::stop_token& t, stop_scope& of) {
  if (t.stop_possible()) on_stop_.emplace(t, stop_function{&of});
}

void stopped_by::begin_in_current_scope(stop_scope& of) {
  if (const stop_scope* outer = current_scope()) begin(outer->source.get_token(), of);
}

void waiting_scope::end_waits() noexcept {
  for (part& p : parts_) {
    taken_offers ended;
    {
      const std::lock_guard held(p.lock);
      ended.add_all(p.waits);
    }
    ended.complete();
  }
}

void scope_wait::begin_in(waiting_scope& s, decision& d) noexcept {
  const worker* w = this_worker();
  waiting_scope::part& p = s.parts_[(w != nullptr ? w->index : 0) % waiting_scope::parts];
  offer_.of = &d;
  offer_.number = decision::stopped;
  {
    const std::lock_guard held(p.lock);
    // A stop that this does not see finds the offer: end_waits() locks the part afterwards.
    if (!s.is_stopped()) {
      p.waits.push_back(offer_);
      part_ = &p;
      return;
    }
  }
  if (d.decide(decision::stopped)) d.complete();
}

void scope_wait::take_back() noexcept {
  const std::lock_guard held(std::exchange(part_, nullptr)->lock);
  offer_.unlink();
}

}  // namespace nopal::detail
