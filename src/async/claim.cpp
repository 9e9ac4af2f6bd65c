// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/claim.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/root_call.hpp"
#include "scheduler/claims/claims.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal {
namespace {

/// Where the workers are not, nobody would come; and a lock may be held for ever.
void check_process(const detail::scheduler& s) {
  if (!s.belongs_to_this_process())
    throw std::logic_error(
        "nopal: this runtime was started before fork(2), and its workers run in the parent process "
        "only; start a runtime of your own in the child, and claim workers of that");
}

}  // namespace

nopal::claim runtime::claim(const claim_options& o) {
  check_process(*scheduler_);
  if (o.at_least == 0 || o.at_most < o.at_least)
    throw std::invalid_argument("nopal: claim_options::at_least is " + std::to_string(o.at_least) +
                                " and at_most " + std::to_string(o.at_most) +
                                "; at_least must be 1 or more, and at_most not below it");
  if (detail::this_worker() != nullptr) {
    const detail::scheduler& here = *detail::this_scheduler_worker().runtime;
    if (&here != scheduler_.get() && here.lent() == scheduler_->lent())
      throw std::logic_error(
          "nopal: a strand in a claim claims workers of the same runtime; claims are not nested. "
          "Let this claim grow, or claim outside of it");
  }
  auto workers = std::make_unique<detail::scheduler>(scheduler_->lent());
  scheduler_->lent()->open(*workers, o.at_least, o.at_most);
  return nopal::claim(std::move(workers));
}

claim::claim(std::unique_ptr<detail::scheduler> s) noexcept : scheduler_(std::move(s)) {}
claim::claim(claim&&) noexcept = default;
claim& claim::operator=(claim&&) noexcept = default;
claim::~claim() = default;

unsigned claim::workers() const {
  check_process(*scheduler_);
  return scheduler_->lent()->wanted(*scheduler_);
}
statistics claim::stats() const { return scheduler_->stats(); }

void claim::grow(unsigned n) {
  check_process(*scheduler_);
  scheduler_->lent()->grow(*scheduler_, n);
}

void claim::shrink(unsigned n) {
  check_process(*scheduler_);
  scheduler_->lent()->shrink(*scheduler_, n);
}

void claim::run_erased(void (*call)(void*), void* argument) {
  if (detail::this_worker() != nullptr &&
      detail::this_scheduler_worker().runtime == scheduler_.get())
    call(argument);
  else
    detail::run_on(*scheduler_, call, argument);
}

}  // namespace nopal
