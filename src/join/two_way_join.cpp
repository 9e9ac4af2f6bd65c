// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/two_way_join.hpp"

#include <memory>
#include <new>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

// The lowest three bits tell the words apart.
static_assert(alignof(suspension) >= 8 && alignof(worker) >= 8);

std::int64_t two_way_join_base::as_word(suspension* s) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(s)) | owner_has_come;
}
suspension* two_way_join_base::as_suspension(std::int64_t word) noexcept {
  NOPAL_ASSERT((word & owner_has_come) != 0);
  return reinterpret_cast<suspension*>(static_cast<std::uintptr_t>(word & ~owner_has_come));
}

/// The owner while it waits for the thief. This lies on the owner's stack.
struct two_way_join_base::owner_wait {
  two_way_join_base* join;
  suspension self;
  std::int64_t found = not_pushed;  ///< The word, if the thief has come before the owner.
};

/// Announces the arrival of the owner, which has left its stack. Returns its strand if the thief
/// has arrived already.
suspension* two_way_join_base::announce_owner(void* argument) noexcept {
  auto& wait = *static_cast<owner_wait*>(argument);
  const std::int64_t found = wait.join->word_.exchange(as_word(&wait.self));
  NOPAL_ASSERT((found & owner_has_come) == 0);
  if (!thief_has_come(found))
    return nullptr;  // from here on the thief may be running on the stack that `wait` lies on
  wait.found = found;
  return &wait.self;
}

suspension* two_way_join_base::announce(two_way_join_base& join, std::int64_t outcome) noexcept {
  const std::int64_t found = join.word_.exchange(outcome);
  NOPAL_ASSERT(!thief_has_come(found));               // there is one thief, and it arrives once
  if ((found & owner_has_come) == 0) return nullptr;  // from here on the join may be gone
  return as_suspension(found);
}

std::int64_t two_way_join_base::wait_for_thief() noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // this was stolen, and so was all that is older
  const std::int64_t seen = word_.load();
  if (thief_has_come(seen)) return seen;
  owner_wait wait{this, {}};
  suspend_strand(wait.self, {announce_owner, &wait, &wait.self.saved});
  const std::int64_t outcome = thief_has_come(wait.found) ? wait.found : word_.load();
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

bool two_way_join_base::was_not_pushed() noexcept {
  if (word_.peek() != not_pushed) return false;
  word_.exchange(as_word(this_worker()));  // no other thread knows this join
  return true;
}

bool two_way_join_base::is_not_stolen_now() noexcept {
  const std::int64_t word = word_.peek();
  if (word == not_pushed) return true;
  // Everything that was pushed later has been popped.
  return is_this_worker(as_worker(word)) && take_back_newest();
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

fp_control two_way_join_base::fp_of_owner() const noexcept {
  const std::int64_t word = word_.load();
  if ((word & owner_has_come) != 0) return as_suspension(word)->state.fp;
  return as_worker(word)->strand_fp_control.load(std::memory_order_relaxed);
}

void two_way_join_base::start(worker& thief, void (*strand)(void*)) noexcept {
  start_strand(thief, {strand, this, fork_state::stolen_without_exceptions(fp_of_owner())});
}

void two_way_join_base::start_with_exceptions(worker& thief, void (*strand)(void*)) noexcept {
  start_strand(thief, {strand, this, at_fork_.stolen(fp_of_owner())});
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
