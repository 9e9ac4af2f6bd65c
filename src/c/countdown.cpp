// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/countdown.h"

#include <new>
#include <system_error>

#include "c/countdown.hpp"
#include "c/error.hpp"

using nopal::countdown;
using nopal::detail::c_argument;
using nopal::detail::c_countdown;
using nopal::detail::c_countdown_in;

static_assert(sizeof(countdown) <= sizeof(nopal_countdown) &&
                  alignof(countdown) <= alignof(nopal_countdown),
              "nopal_countdown is too small");

namespace {

constexpr const char* too_many_to_count =
    "more signals are to come than can be counted, which are 4611686018427387903";
static_assert(c_countdown::most == 4611686018427387903);

constexpr const char* too_many_given =
    "more signals are given than are to come; nopal_countdown_init() and nopal_countdown_add() say "
    "how many those are";

}  // namespace

int nopal_countdown_init(nopal_countdown* c, int64_t signals) {
  if (c == nullptr) return c_argument("nopal_countdown_init", "the countdown is NULL");
  if (signals < 0) return c_argument("nopal_countdown_init", "the number of signals is negative");
  if (signals > c_countdown::most) return c_argument("nopal_countdown_init", too_many_to_count);
  ::new (static_cast<void*>(c)) countdown(signals);
  return 0;
}

int nopal_countdown_add(nopal_countdown* c, int64_t signals) {
  if (c == nullptr) return c_argument("nopal_countdown_add", "the countdown is NULL");
  if (signals < 0) return c_argument("nopal_countdown_add", "the number of signals is negative");
  if (!c_countdown::add(c_countdown_in(c), signals))
    return c_argument("nopal_countdown_add", too_many_to_count);
  return 0;
}

int nopal_countdown_signal(nopal_countdown* c, int64_t signals) {
  if (c == nullptr) return c_argument("nopal_countdown_signal", "the countdown is NULL");
  if (signals < 0) return c_argument("nopal_countdown_signal", "the number of signals is negative");
  if (signals != 0 && !c_countdown::signal(c_countdown_in(c), signals))
    return c_argument("nopal_countdown_signal", too_many_given);
  return 0;
}

int nopal_countdown_signal_and_end(nopal_countdown* c) {
  if (c == nullptr) return c_argument("nopal_countdown_signal_and_end", "the countdown is NULL");
  if (c_countdown_in(c).done()) return c_argument("nopal_countdown_signal_and_end", too_many_given);
  c_countdown_in(c).signal_and_end();
  return 0;
}

int nopal_countdown_wait(nopal_countdown* c, int64_t within) {
  if (c == nullptr) return c_argument("nopal_countdown_wait", "the countdown is NULL");
  return nopal::detail::c_call([&] { c_countdown_in(c).wait(nopal::detail::c_limits(within)); });
}

bool nopal_countdown_is_done(const nopal_countdown* c) {
  return std::launder(reinterpret_cast<const countdown*>(c))->done();
}
