// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/condition.hpp"

#include <mutex>
#include <optional>

namespace nopal {

void condition::notify_slowly(bool all) noexcept {
  detail::taken_offers ended;
  {
    const std::lock_guard held(state_.lock);
    if (all)
      ended.add_all(state_.waiting);
    else if (detail::offer* o = state_.waiting.take())
      ended.add(*o);
    state_.clear_if_empty();
  }
  ended.complete();
}

bool detail::condition_operation::begin(decision& d, bool /*for_task*/) noexcept {
  offer_.of = &d;
  if (end_ != nullptr) end_->has_begun = true;
  condition_->state_.change_or_list(
      offer_, [](std::uint32_t) -> std::optional<std::uint32_t> { return std::nullopt; });
  mutex_->unlock();
  return false;
}

bool detail::condition_operation::end(unsigned number) noexcept {
  if (decision::is_limit(number)) condition_->state_.unlist(offer_);
  if (end_ != nullptr)
    end_->number = number;
  else
    mutex_->lock();
  return true;
}

}  // namespace nopal
