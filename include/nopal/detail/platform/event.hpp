// SPDX-License-Identifier: Apache-2.0
// The seam of events: what happens in the library, for whoever wants to watch it or to delay it.
//
// A component declares its events in its events.hpp, one type each, and emits them. In a build with
// NOPAL_EVENTS several subscribers (platform/subscription.hpp) can be told of each type. In every
// other build emit() is an empty function, and an event does not cost one instruction.
#pragma once

#include <cstdint>

#include "nopal/detail/platform/config.hpp"

#ifdef NOPAL_EVENTS
#include <array>
#include <atomic>
#include <type_traits>
#endif

namespace nopal::detail {

#ifdef NOPAL_EVENTS
/// Names a strand. No two strands of a process have the same name.
class strand_id {
 public:
  constexpr strand_id() noexcept = default;  ///< Names no strand.
  static strand_id fresh() noexcept;

  [[nodiscard]] constexpr bool some() const noexcept { return number_ != 0; }
  [[nodiscard]] constexpr std::uint64_t number() const noexcept { return number_; }
  friend constexpr bool operator==(strand_id, strand_id) noexcept = default;

 private:
  std::uint64_t number_ = 0;
};
#else
/// Strands have no names in this build.
class strand_id {
 public:
  static constexpr strand_id fresh() noexcept { return {}; }
};
#endif

/// The data that every event has. The type of an event is derived from this, adds what it says
/// beyond that, and documents when it happens.
struct event {
  /// The type that a subscriber returns. It is bool for an event whose step a subscriber may
  /// refuse: true refuses.
  using answer = void;

  static constexpr unsigned no_worker = ~0U;

  unsigned worker = no_worker;  ///< The index of the worker that the thread runs, or no_worker.
  /// The strand that the thread runs; none while it runs the scheduler. Some types of events, which
  /// say so, name the strand that they are about.
  strand_id strand = {};
};

/// Several types of events, or lists of them, for a subscriber.
template <class... Events>
struct event_list {};

#ifdef NOPAL_EVENTS

template <class E>
using event_handler = typename E::answer (*)(const E&);

/// The handlers that are told of events of type E.
template <class E>
struct event_subscribers {
  std::atomic<unsigned> number{0};
  std::array<std::atomic<event_handler<E>>, 4> handlers{};
};
template <class E>
inline constinit event_subscribers<E> subscribers_to{};

/// Returns worker and strand of the calling thread.
event whereabouts() noexcept;

/// Says how whereabouts() finds worker and strand: `f` belongs to a higher component.
void locate_events(event (*f)() noexcept) noexcept;

/// Calls all subscribers to E. emit() calls this, in a build with events, if there are any. Returns
/// whether one of them refuses the step.
template <class E>
NOPAL_NOINLINE typename E::answer deliver(const E& e) {
  bool refused = false;
  for (const auto& slot : subscribers_to<E>.handlers) {
    // Pairs with the release operations of class subscription.
    const event_handler<E> handler = slot.load(std::memory_order_acquire);
    if (handler == nullptr) continue;
    if constexpr (std::is_void_v<typename E::answer>)
      handler(e);
    else
      refused |= handler(e);
  }
  return static_cast<typename E::answer>(refused);
}

/// Does what emit() does, if there is a subscriber. It is not inlined, unlike the question whether
/// there is one.
template <class E, class... Fields>
NOPAL_NOINLINE typename E::answer emit_from(event place, Fields... fields) {
  E e{{}, fields...};
  static_cast<event&>(e) = place;
  return deliver(e);
}

/// Tells the subscribers that an event of type E happens here and now. `fields` are what E says
/// beyond struct event. Returns whether one of them refuses, if E can be refused.
///
/// A strand can be on another thread afterwards: a subscriber may switch stacks.
template <class E, class... Fields>
NOPAL_ALWAYS_INLINE typename E::answer emit(Fields... fields) {
  // Pairs with the release operations of class subscription.
  if (subscribers_to<E>.number.load(std::memory_order_acquire) == 0) return typename E::answer();
  return emit_from<E>(whereabouts(), fields...);
}

/// Does what emit() does, for an event about another strand than that which the thread runs.
template <class E, class... Fields>
NOPAL_ALWAYS_INLINE typename E::answer emit_of(strand_id about, Fields... fields) {
  if (subscribers_to<E>.number.load(std::memory_order_acquire) == 0) return typename E::answer();
  return emit_from<E>(event{whereabouts().worker, about}, fields...);
}

#else

inline void locate_events(event (*)() noexcept) noexcept {}

template <class E, class... Fields>
NOPAL_ALWAYS_INLINE constexpr typename E::answer emit(Fields...) noexcept {
  return typename E::answer();
}

template <class E, class... Fields>
NOPAL_ALWAYS_INLINE constexpr typename E::answer emit_of(strand_id, Fields...) noexcept {
  return typename E::answer();
}

#endif

}  // namespace nopal::detail
