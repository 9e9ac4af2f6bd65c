// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// What happens to functions that fork by parallel_invoke or fork_frame. Only a build that asks for
/// it by NOPAL_EVENTS_AT_FUNCTIONS emits these: calls at both ends of a function keep the optimizer
/// from what it does to users' functions, which the adversary is there to find.
namespace nopal::detail::fork_events {

/// A function that forks has been entered.
struct entered : event {
  unsigned forks;  ///< How many are nested in each other: k - 1 for parallel_invoke of k closures.
};

/// A function that forks is being left, maybe on another thread than that which entered it.
struct left : event {
  unsigned forks;  ///< As when it was entered.
};

using all = event_list<entered, left>;

}  // namespace nopal::detail::fork_events

#ifdef NOPAL_EVENTS_AT_FUNCTIONS
namespace nopal::detail {

/// Lives as long as a function forks.
class forking {
 public:
  explicit forking(unsigned forks) noexcept : forks_(forks) { emit<fork_events::entered>(forks); }
  ~forking() { emit<fork_events::left>(forks_); }
  forking(const forking&) = delete;
  forking& operator=(const forking&) = delete;

 private:
  unsigned forks_;
};

}  // namespace nopal::detail

#define NOPAL_EMIT_FORKING(forks) const ::nopal::detail::forking emits_forking{forks};
#else
// Not even an empty object, which lies in the frame: with one bench's fork_price was 2.7 instead of
// 2.2.
#define NOPAL_EMIT_FORKING(forks)
#endif
