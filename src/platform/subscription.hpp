// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "nopal/detail/platform/event.hpp"

#ifndef NOPAL_EVENTS
#error "nopal: events need a build with NOPAL_EVENTS: link nopal_with_events"
#endif

namespace nopal::detail {

/// The name of an event's type with its component, such as "deque_events::pushed".
template <class E>
constexpr std::string_view event_name() noexcept {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("E = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  constexpr std::string_view ours = "nopal::detail::";
  return name.starts_with(ours) ? name.substr(ours.size()) : name;
}

[[noreturn]] void too_many_subscribers(const char* to) noexcept;

/// While a subscription lives, a handler is called at each event of the types in `Events`, which
/// are types of events or lists of them. The handler is a type without state whose call operator
/// takes any of these events and returns its answer: so a thread may be in it while the
/// subscription ends.
///
/// A subscription should begin and end at a quiet moment: of what happens meanwhile some is told
/// and some is not. The handler is called in the midst of a protocol: it may delay the thread or
/// let the thread do something else meanwhile, and must not throw.
template <class... Events>
class subscription {
 public:
  template <class Handler>
    requires std::is_empty_v<Handler>
  explicit subscription(Handler) noexcept
      : end_([] { for_each<Handler>(event_list<Events...>{}, false); }) {
    for_each<Handler>(event_list<Events...>{}, true);
  }
  ~subscription() { end_(); }
  subscription(const subscription&) = delete;
  subscription& operator=(const subscription&) = delete;

 private:
  template <class Handler, class... E>
  static void for_each(event_list<E...>, bool begins) noexcept {
    (change<Handler>(static_cast<E*>(nullptr), begins), ...);
  }

  template <class Handler, class... E>
  static void change(event_list<E...>* list, bool begins) noexcept {
    static_cast<void>(list);
    for_each<Handler>(event_list<E...>{}, begins);
  }

  /// Adds the handler to the subscribers of E, or takes it out.
  template <class Handler, class E>
  static void change(E*, bool begins) noexcept {
    constexpr event_handler<E> none = nullptr;
    const event_handler<E> call = [](const E& e) { return Handler{}(e); };
    if (!begins) subscribers_to<E>.number.fetch_sub(1, std::memory_order_release);
    for (auto& slot : subscribers_to<E>.handlers) {
      event_handler<E> expected = begins ? none : call;
      // Pairs with deliver(), as the changes of the number pair with emit().
      if (!slot.compare_exchange_strong(expected, begins ? call : none, std::memory_order_release,
                                        std::memory_order_relaxed))
        continue;
      if (begins) subscribers_to<E>.number.fetch_add(1, std::memory_order_release);
      return;
    }
    too_many_subscribers(__PRETTY_FUNCTION__);
  }

  void (*end_)();
};

}  // namespace nopal::detail
