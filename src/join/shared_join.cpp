// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/shared_join.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/strand/strand.hpp"

namespace nopal::detail {

bool shared_join::was_not_pushed_or_wait() {
  if (was_not_pushed()) return true;
  wait_for_thief();
  if (strand_views* v = thieves_.thrown.take_views()) go_on_with_product(v);
  if (std::exception_ptr e = thieves_.thrown.take_first()) std::rethrow_exception(std::move(e));
  return false;
}

void shared_join::abandon() noexcept {
  if (is_not_stolen_now()) return;
  wait_for_thief();
  // The serial program does not come to what the thieves have run.
  if (strand_views* v = thieves_.thrown.take_views()) go_on_without(v);
  static_cast<void>(thieves_.thrown.take_first());
}

void shared_join::abandon_and_hold() noexcept {
  abandon();
  hold_current();
}

void shared_join::start_first(worker& thief, run_of_rest run_rest) noexcept {
  std::construct_at(&thieves_, *this, run_rest, fp_of_pusher);
  start_thief(thief);
}

/// Runs the rest of the row after a steal from a thief. A thief runs this, as its continuation.
void shared_join::run_stolen_from_thief(continuation& c, worker& w) noexcept {
  auto& all = static_cast<thieves&>(c);
  all.counter.count_steal();
  all.join->start_thief(w);
}

/// Starts the strand of a thief, whether it stole from the owner or from another thief.
void shared_join::start_thief(worker& w) noexcept {
  start_strand(w, {strand, this, state_of_thief(thieves_.fp)});
}

/// Runs what is left of the row. This is the strand of a thief, up to its end.
void shared_join::strand(void* argument) {
  auto& self = *static_cast<shared_join*>(argument);
  try {
    check_scope("nopal: a fork");
    self.thieves_.run_rest(self);
  } catch (...) {
    self.note_exception(self.thieves_.counter.steals());
  }
  self.arrive_at_end_of_row();
}

/// Notes the current exception. A segment ends with its first exception, so the numbers of segments
/// order the exceptions.
void shared_join::note_exception(std::uint64_t segment) noexcept {
  thieves_.thrown.note(std::current_exception(), segment);
  mark_views_thrown();
}

// Another thief may run the rest of the row after the push, and the counter of steals belongs to
// that thief then.
void shared_join::call_stealable(void (*piece)(void*), void* argument) noexcept {
  const std::uint64_t segment = thieves_.counter.steals();
  const bool stealable = this_worker()->push(&thieves_) >= 0;
  bool threw = false;
  try {
    piece(argument);
  } catch (...) {
    threw = true;
    note_exception(segment);
  }
  if (stealable && !take_back_newest()) arrive_stolen_from(segment);
  if (threw) arrive_at_end_of_row();  // what follows is never called
}

/// Ends the strand of a thief that was stolen from, after its piece.
void shared_join::arrive_stolen_from(std::uint64_t segment) noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // the join was stolen last
  thieves_.thrown.leave_views(segment);
  end_strand({announce_stolen_from, this, nullptr});
}

/// Ends the strand of the thief that has run the last piece of the row, or that has thrown.
void shared_join::arrive_at_end_of_row() noexcept {
  thieves_.thrown.leave_views(thieves_.counter.steals());
  end_strand({announce_end_of_row, this, nullptr});
}

// These announce the two kinds of arrival. The last of the thieves arrives for all at the join of
// the base.

suspension* shared_join::announce_stolen_from(void* argument) noexcept {
  auto& self = *static_cast<shared_join*>(argument);
  return self.thieves_.counter.arrives(-1) ? announce(self, done) : nullptr;
}

suspension* shared_join::announce_end_of_row(void* argument) noexcept {
  auto& self = *static_cast<shared_join*>(argument);
  const auto steals = static_cast<std::int64_t>(self.thieves_.counter.steals());
  return steals == 0 || self.thieves_.counter.arrives(steals) ? announce(self, done) : nullptr;
}

}  // namespace nopal::detail
