// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/claim.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/claims/claims.hpp"

namespace nopal {

// Every function that takes the lock of claims is refused in a child of fork(2): a thread of the
// parent may have the lock there for ever.

nopal::claim runtime::claim(const claim_options& o) {
  detail::scheduler& mine = detail::scheduler_of(*this);
  detail::refuse_in_child_of_fork(mine);
  if (o.at_least == 0 || o.at_most < o.at_least)
    throw std::invalid_argument("nopal: claim_options::at_least is " + std::to_string(o.at_least) +
                                " and at_most " + std::to_string(o.at_most) +
                                "; at_least must be 1 or more, and at_most not below it");
  if (detail::this_worker() != nullptr) {
    const detail::scheduler& here = *detail::this_scheduler_worker().belongs_to;
    if (&here != &mine && here.lent() == mine.lent())
      throw std::logic_error(
          "nopal: a strand in a claim claims workers of the same runtime; claims are not nested. "
          "Let this claim grow, or claim outside of it");
  }
  auto workers = std::make_unique<detail::owned_scheduler>(mine.lent());
  mine.lent()->open(*workers, o.at_least, o.at_most);
  return nopal::claim(std::move(workers));
}

claim::claim(std::unique_ptr<detail::owned_scheduler> s) noexcept : scheduler_(std::move(s)) {}
claim::claim(claim&&) noexcept = default;
claim& claim::operator=(claim&&) noexcept = default;
claim::~claim() = default;

/// Returns the scheduler of the claim.
/// \throws std::logic_error if the claim has been moved from.
detail::scheduler& claim::scheduler_or_throw() const {
  if (scheduler_ == nullptr)
    throw std::logic_error(
        "nopal: a nopal::claim that has been moved from is used; it has no workers. Use the claim "
        "that it was moved to, or assign another one to it first");
  return *scheduler_;
}

unsigned claim::workers() const {
  const detail::scheduler& s = scheduler_or_throw();
  detail::refuse_in_child_of_fork(s);
  return s.lent()->wanted(s);
}
statistics claim::stats() const { return scheduler_or_throw().stats(); }

void claim::grow(unsigned n) {
  detail::scheduler& s = scheduler_or_throw();
  detail::refuse_in_child_of_fork(s);
  s.lent()->grow(s, n);
}

void claim::shrink(unsigned n) {
  detail::scheduler& s = scheduler_or_throw();
  detail::refuse_in_child_of_fork(s);
  s.lent()->shrink(s, n);
}

void claim::run_erased(void (*call)(void*), void* argument) {
  detail::run_on_or_here(scheduler_or_throw(), call, argument);
}

}  // namespace nopal
