// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The events of a pool. The worker is that of the thread that puts or gets, if it runs one.
namespace nopal::detail::pool_events {

/// The put: a producer has stored an element and has not looked yet whether a consumer sleeps.
struct put : event {};

/// A consumer has found an element in the chunk that it owns and has not stored the index yet.
struct looked : event {};

/// The consumer has stored the index and has not looked again whether it still owns the chunk.
struct taking : event {};

/// The consumer has seen that it still owns the chunk and has not marked the slot yet.
struct marking : event {};

/// The take: a consumer has marked a slot and has not moved its element out yet.
struct moving : event {};

/// A thief has chosen a chunk and has not become its owner yet: it is about to execute a
/// compare-and-swap.
struct stealing : event {};

/// The thief has become the owner of the chunk, and its node has no index yet.
struct stolen : event {};

/// A consumer has seen that its chunk is stolen and has not told the thief yet that it takes
/// nothing there any more.
struct answering : event {};

/// The thief has got no answer and is about to fence.
struct fencing : event {};

/// The thief's node has an index, and the thief has not taken its first element yet.
struct settled : event {};

/// A consumer has taken the last element of a chunk and has not given the chunk up yet: it is about
/// to execute a compare-and-swap.
struct retiring : event {};

/// A consumer that found nothing is about to look through the pools of all consumers.
struct checking : event {};

/// A consumer that looks through the pools of all consumers is about to look into the next.
struct looking : event {};

/// A compare-and-swap is about to be executed that no other event announces.
struct swapping : event {};

using all = event_list<put, looked, taking, marking, moving, stealing, stolen, answering, fencing,
                       settled, retiring, checking, looking, swapping>;

}  // namespace nopal::detail::pool_events
