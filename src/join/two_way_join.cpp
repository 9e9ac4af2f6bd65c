// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/two_way_join.hpp"

#include <memory>
#include <new>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {
namespace {

/// An arrival that points to a suspension is none of the small values.
std::int64_t as_word(suspension* s) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(s));
}
suspension* as_suspension(std::int64_t word) noexcept {
  return reinterpret_cast<suspension*>(static_cast<std::uintptr_t>(word));
}

}  // namespace

struct two_way_join_base::owner_wait {
  two_way_join_base* join;
  suspension self;
  std::int64_t found = nobody;
};

suspension* two_way_join_base::announce_owner(void* argument) noexcept {
  auto& wait = *static_cast<owner_wait*>(argument);
  const std::int64_t found = wait.join->word_.exchange(as_word(&wait.self));
  NOPAL_ASSERT(found == nobody || found == done || found == thrown);
  if (found == nobody)
    return nullptr;  // from here on the thief may be running on the stack that `wait` lies on
  wait.found = found;
  return &wait.self;
}

suspension* two_way_join_base::announce(two_way_join_base& join, std::int64_t outcome) noexcept {
  const std::int64_t found = join.word_.exchange(outcome);
  NOPAL_ASSERT(found != done && found != thrown);  // one thief, which arrives once
  return found == nobody ? nullptr
                         : as_suspension(found);  // nobody: from here on the join may be gone
}

std::int64_t two_way_join_base::wait_for_thief() noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // this was stolen, and so was all that is older
  const std::int64_t seen = word_.load();
  if (seen != nobody) return seen;
  owner_wait wait{this, {}, nobody};
  suspend_strand(wait.self, {announce_owner, &wait, &wait.self.saved});
  const std::int64_t outcome = wait.found != nobody ? wait.found : word_.load();
  NOPAL_ASSERT(outcome == done || outcome == thrown);
  return outcome;
}

std::exception_ptr two_way_join_base::take_exception() noexcept {
  auto* e = std::launder(reinterpret_cast<std::exception_ptr*>(exception_));
  std::exception_ptr taken = std::move(*e);
  std::destroy_at(e);
  return taken;
}

void two_way_join_base::wait() noexcept {
  if (wait_for_thief() == thrown) take_exception();
  // The serial program does not come to the closure.
  if (strand_views* v = at_fork_.views_of_thief) go_on_without(v);
}

void two_way_join_base::wait_and_rethrow() {
  const std::int64_t outcome = wait_for_thief();
  if (strand_views* v = at_fork_.views_of_thief) go_on_with_product(v);
  if (outcome == thrown) std::rethrow_exception(take_exception());
}

void two_way_join_base::start(worker& thief, void (*strand)(void*)) noexcept {
  start_strand(thief, {strand, this, at_fork_.stolen(*owner_)});
}

void two_way_join_base::arrive(std::exception_ptr&& e) noexcept {
  at_fork_.thief_ends();
  if (e == nullptr)
    end_strand(
        {[](void* self) noexcept { return announce(*static_cast<two_way_join_base*>(self), done); },
         this, nullptr});
  new (exception_) std::exception_ptr(std::move(e));
  end_strand(
      {[](void* self) noexcept { return announce(*static_cast<two_way_join_base*>(self), thrown); },
       this, nullptr});
}

}  // namespace nopal::detail
