// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "io/events.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/fork/events.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/wait/events.hpp"
#include "scheduler/events.hpp"
#include "strand/events.hpp"
#include "sync/events.hpp"

namespace nopal_test {

namespace deque_events = nopal::detail::deque_events;
namespace fork_events = nopal::detail::fork_events;
namespace io_events = nopal::detail::io_events;
namespace pool_events = nopal::detail::pool_events;
namespace scheduler_events = nopal::detail::scheduler_events;
namespace stm_events = nopal::detail::stm_events;
namespace strand_events = nopal::detail::strand_events;
namespace sync_events = nopal::detail::sync_events;
namespace wait_events = nopal::detail::wait_events;

/// The events of all components.
using all_events =
    nopal::detail::event_list<deque_events::all, strand_events::all, scheduler_events::all,
                              fork_events::all, pool_events::all, io_events::all, stm_events::all,
                              sync_events::all, wait_events::all>;

template <class E, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<E, Others> || ...);

}  // namespace nopal_test
