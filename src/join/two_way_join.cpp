// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/two_way_join.hpp"

#include <memory>
#include <new>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// The owner while it waits for the thief. This lies on the owner's stack. The thief may not have
/// read yet which function it is to run, so the function is kept here, as the first member: see
/// continuation::run_on().
struct two_way_join_base::owner_wait {
  run_function kept;
  two_way_join_base* join;
  suspension self;
  std::int64_t found = not_pushed;  ///< The word, if the thief has come before the owner.
};

/// Announces the arrival of the owner, which has left its stack. Returns its strand if the thief
/// has arrived already.
suspension* two_way_join_base::announce_owner(void* argument) noexcept {
  auto& wait = *static_cast<owner_wait*>(argument);
  two_way_join_base& join = *wait.join;
  const std::int64_t found = join.arrival_.exchange(join.run, word_of_keeper(&wait));
  NOPAL_ASSERT(!is_keeper(found));
  if (!thief_has_come(found))
    return nullptr;  // from here on the thief may be running on the stack that `wait` lies on
  wait.found = found;
  return &wait.self;
}

suspension* two_way_join_base::announce(two_way_join_base& join, std::int64_t outcome) noexcept {
  const std::int64_t found = join.arrival_.exchange(join.run, outcome);
  NOPAL_ASSERT(!thief_has_come(found));   // there is one thief, and it arrives once
  if (!is_keeper(found)) return nullptr;  // from here on the join may be gone
  return &static_cast<owner_wait*>(keeper_of(found))->self;
}

std::int64_t two_way_join_base::wait_for_thief() noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // this was stolen, and so was all that is older
  const std::int64_t seen = arrival_.load(run);
  if (thief_has_come(seen)) return seen;
  owner_wait wait{function_of(seen), this, {}};
  suspend_strand(wait.self, {announce_owner, &wait, &wait.self.saved});
  const std::int64_t outcome = thief_has_come(wait.found) ? wait.found : arrival_.load(run);
  NOPAL_ASSERT(thief_has_come(outcome));
  return outcome;
}

/// Takes the exception that lies in the link of the continuation, which nobody uses any more.
std::exception_ptr two_way_join_base::take_exception() noexcept {
  auto* e = std::launder(reinterpret_cast<std::exception_ptr*>(&next));
  std::exception_ptr taken = std::move(*e);
  std::destroy_at(e);
  return taken;
}

bool two_way_join_base::is_not_stolen_now() noexcept {
  // Everything that was pushed later has been popped.
  return was_not_pushed() || take_back_newest();
}

bool two_way_join_base::was_not_pushed_or_wait() {
  if (was_not_pushed()) return true;
  const std::int64_t outcome = wait_for_thief();
  if (strand_views* v = at_fork_.views_of_thief) go_on_with_product(v);
  if (outcome == thrown) std::rethrow_exception(take_exception());
  return false;
}

bool two_way_join_base::abandon() noexcept {
  if (is_not_stolen_now()) return false;
  const bool threw = wait_for_thief() == thrown;
  if (threw) take_exception();
  // The serial program does not come to the closure.
  if (strand_views* v = at_fork_.views_of_thief) go_on_without(v);
  return !threw;
}

// Nobody else uses the link after abandon().
void two_way_join_base::hold_current() noexcept {
  static_assert(sizeof(std::exception_ptr) == sizeof(continuation*));
  new (static_cast<void*>(&next)) std::exception_ptr(std::current_exception());
}

void two_way_join_base::abandon_and_hold() noexcept {
  abandon();
  hold_current();
}

void two_way_join_base::rethrow_held() { std::rethrow_exception(take_exception()); }

void two_way_join_base::start(worker& thief, void (*strand)(void*)) noexcept {
  start_strand(thief, {strand, this, fork_state::stolen_without_exceptions(fp_of_pusher)});
}

void two_way_join_base::start_with_exceptions(worker& thief, void (*strand)(void*)) noexcept {
  start_strand(thief, {strand, this, at_fork_.stolen(fp_of_pusher)});
}

void two_way_join_base::arrive(std::exception_ptr&& e) noexcept {
  at_fork_.thief_ends();
  if (e == nullptr)
    end_strand(
        {[](void* self) noexcept { return announce(*static_cast<two_way_join_base*>(self), done); },
         this, nullptr});
  static_assert(sizeof(std::exception_ptr) == sizeof(continuation*));
  // The inboxes do not use the link any more.
  new (static_cast<void*>(&next)) std::exception_ptr(std::move(e));
  end_strand(
      {[](void* self) noexcept { return announce(*static_cast<two_way_join_base*>(self), thrown); },
       this, nullptr});
}

}  // namespace nopal::detail
