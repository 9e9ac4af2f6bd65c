// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/platform/event.hpp"

#ifdef NOPAL_EVENTS
#include <cstdio>
#include <cstdlib>

#include "platform/subscription.hpp"

namespace nopal::detail {
namespace {

std::atomic<std::uint64_t> strands{0};
std::atomic<event (*)() noexcept> locates{nullptr};

}  // namespace

strand_id strand_id::fresh() noexcept {
  strand_id id;
  id.number_ = strands.fetch_add(1, std::memory_order_relaxed) + 1;
  return id;
}

void locate_events(event (*f)() noexcept) noexcept { locates.store(f, std::memory_order_relaxed); }

event whereabouts() noexcept {
  auto* f = locates.load(std::memory_order_relaxed);
  return f != nullptr ? f() : event{};
}

void too_many_subscribers(const char* to) noexcept {
  std::fprintf(stderr, "nopal: too many subscribers to one type of event, in: %s\n", to);
  std::abort();
}

}  // namespace nopal::detail
#endif
