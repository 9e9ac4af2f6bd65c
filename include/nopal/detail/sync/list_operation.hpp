// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

/// A wait_operation that waits in the list of one object.
/// \tparam Event  what it waits for: it has take(), take_or_list(offer&), unlist(offer&), object()
/// and the two names.
template <class Event>
class list_operation : public Event {
 public:
  using result = void;
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = false;

  template <class... A>
  explicit list_operation(A&&... a) : Event{std::forward<A>(a)...} {}

  bool begin(decision& d, bool /*for_task*/) noexcept {
    offer_.of = &d;
    return this->take_or_list(offer_);
  }
  bool end(unsigned number) noexcept {
    if (decision::is_limit(number)) this->unlist(offer_);
    return true;
  }
  void value() const noexcept {}

 private:
  offer offer_;
};

/// What an object lets happen that has one kind of wait.
template <class Object>
struct object_event {
  static constexpr const char* name = Object::call_name;
  static constexpr const char* waits_for = Object::waits_for;

  Object* at;

  bool take() noexcept { return at->take(); }
  bool take_or_list(offer& o) noexcept { return at->take_or_list(o); }
  void unlist(offer& o) noexcept { at->state_.unlist(o); }
  [[nodiscard]] const void* object() const noexcept { return at; }
};

}  // namespace nopal::detail
