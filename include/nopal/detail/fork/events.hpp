// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The events of functions that fork by parallel_invoke or fork_frame. Only a build that asks for
/// them by NOPAL_EVENTS_AT_FUNCTIONS emits these. Calls at both ends of a function would keep the
/// optimizer from what it does to users' functions, and the adversary is there to find that.
namespace nopal::detail::fork_events {

/// A function that forks has been entered. A parallel_invoke is one, whatever the number of its
/// closures.
struct entered : event {};

/// A function that forks is being left, maybe on another thread than the one that entered it.
struct left : event {};

using all = event_list<entered, left>;

}  // namespace nopal::detail::fork_events

#ifdef NOPAL_EVENTS_AT_FUNCTIONS
namespace nopal::detail {

/// Lives as long as a function forks.
class forking {
 public:
  forking() noexcept { emit<fork_events::entered>(); }
  ~forking() { emit<fork_events::left>(); }
  forking(const forking&) = delete;
  forking& operator=(const forking&) = delete;
};

}  // namespace nopal::detail

#define NOPAL_EMIT_FORKING const ::nopal::detail::forking emits_forking;
#else
// There is not even an empty object, which would lie in the frame: with one, bench's fork_price was
// 2.7 instead of 2.2.
#define NOPAL_EMIT_FORKING
#endif
