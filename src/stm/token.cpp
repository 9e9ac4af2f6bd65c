// SPDX-License-Identifier: Apache-2.0
#include "stm/token.hpp"

#include <sched.h>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "platform/futex.hpp"
#include "stm/registry.hpp"

namespace nopal::detail {

constinit commit_token token_of_stm;

namespace {

/// Waits until the transaction of `l` commits no more. Whoever takes the token calls this for each
/// other log: no commit begins while the token is taken, and those that have begun end.
void wait_until_committed(const transaction_log& l) noexcept {
  constexpr unsigned turns_before_yield = 64;
  // Pairs with the release at the end of the commit, which makes all of it visible.
  for (unsigned turn = 0; l.commits_now.load(acquire_at_fence) != 0; ++turn) {
    if (turn < turns_before_yield)
      cpu_relax();
    else
      // A commit runs no code of users, so it ends as soon as its thread runs.
      sched_yield();
  }
}

}  // namespace

void commit_token::take(const transaction_log& own) noexcept {
  node n{true};
  wait_in_line(n);
  emit<stm_events::token_taken>();
  heavy_fence();  // pairs with is_taken()
  for_each_log([&](const transaction_log& l) {
    if (&l != &own) wait_until_committed(l);
  });
}

void commit_token::wait_until_free() noexcept {
  node n{false};
  wait_in_line(n);
}

/// Returns when it is the turn of `n`, which has the token then if it wants it.
void commit_token::wait_in_line(node& n) noexcept {
  wait_for([&](waiter& w) noexcept { return add(n, w); });
}

/// Lets `n` in at once, if the token is free, and returns false. Else adds `n` to the line, and
/// returns true: give_back() lets `w` go on when it is the turn of `n`.
bool commit_token::add(node& n, waiter& w) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_taken_.load(std::memory_order_relaxed)) {
    if (n.wants_token) is_taken_.store(true, release_at_fence);  // pairs with is_taken()
    return false;
  }
  n.waits = &w;
  *last_ = &n;
  last_ = &n.next;
  return true;
}

void commit_token::give_back() noexcept {
  node* woken = nullptr;
  node** last_woken = &woken;
  {
    const std::lock_guard lock(mutex_);
    NOPAL_ASSERT(is_taken_.load(std::memory_order_relaxed));
    // This wakes those at the head of the line that wait to commit, and the first that wants the
    // token.
    bool handed_over = false;
    while (first_ != nullptr && !handed_over) {
      handed_over = first_->wants_token;
      *last_woken = first_;
      last_woken = &first_->next;
      first_ = first_->next;
    }
    *last_woken = nullptr;
    if (first_ == nullptr) last_ = &first_;
    // Pairs with the acquire in is_taken(): whoever commits next sees what the holder has done.
    if (!handed_over) is_taken_.store(false, release_at_fence);
  }
  while (woken != nullptr) {
    node* next = woken->next;  // the node may be gone when its strand goes on
    woken->waits->go_on();
    woken = next;
  }
}

}  // namespace nopal::detail
