// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <system_error>
#include <thread>
#include <utility>

#include "nopal/detail/serial/sync/channel.hpp"
#include "nopal/detail/serial/sync/made_call.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

struct after_case {
  limits::moment at;
};
struct otherwise_case {};

template <class C>
concept select_case =
    std::same_as<C, after_case> || std::same_as<C, otherwise_case> || requires(C& c) {
      { c.take() } -> std::same_as<bool>;
    };

/// Takes the first case that needs no wait, or else the one that is for this. Returns its index,
/// or -1 after a limit.
template <class... Cases>
int select_within(const call_limits& l, Cases&... cases) {
  int i = -1, taken = -1, otherwise = -1, after = -1;
  limits::moment at = limits::moment::max();
  const auto look = [&]<class C>(C& c) {
    ++i;
    if constexpr (std::same_as<C, after_case>) {
      after = i;
      at = c.at;
    } else if constexpr (std::same_as<C, otherwise_case>) {
      otherwise = i;
    } else if (taken < 0 && c.take()) {
      taken = i;
    }
  };
  if (!l.is_stopped()) (look(cases), ...);
  if (taken >= 0) return taken;
  if (otherwise >= 0) return otherwise;
  if (at != limits::moment::max() && !(l.has_deadline() && l.within->deadline < at)) {
    std::this_thread::sleep_until(at);
    return after;
  }
  fail("nopal::select", l);
  return -1;
}

}  // namespace serial_detail

template <class Time>
[[nodiscard]] serial_detail::after_case after(const Time& t) {
  return {limits(t).deadline};
}
[[nodiscard]] inline serial_detail::otherwise_case otherwise() noexcept { return {}; }

template <serial_detail::select_case... Cases>
serial_detail::made_call<int> select(Cases... cases) {
  return serial_detail::select_within({}, cases...);
}
template <serial_detail::select_case... Cases>
serial_detail::made_call<int> select(const limits& within, Cases... cases) {
  return serial_detail::select_within({&within}, cases...);
}

}  // namespace serial
}  // namespace nopal
