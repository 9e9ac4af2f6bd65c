// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The steps of transactions. Tests delay them. If the comment says what happens when a step is
/// refused, tests refuse it too, to see that it is needed.
namespace nopal::detail::stm_events {

/// A transaction has read the clock and is about to announce that it begins.
struct beginning : event {};

/// A transaction has announced that it begins.
struct begun : event {};

/// A transaction is about to compare the version of a lock that it has looked at with its own.
struct comparing : event {};

/// A transaction has read a value and is about to look at the lock again.
struct looking_again : event {};

/// A transaction has read the clock anew, and is about to look whether all that it has read is as
/// it was.
struct extending : event {};

/// A transaction has announced that it commits, and is about to look at the token.
struct committing : event {};

/// A commit is about to take the next lock.
struct locking : event {};

/// A commit has all locks and is about to advance the clock.
struct advancing : event {};

/// A commit is about to look whether all that the transaction has read is as it was.
struct validating : event {};

/// A commit is about to write.
struct writing : event {};

/// A commit has written and is about to give its locks back.
struct releasing : event {};

/// A commit has given its locks back and has not looked yet whether somebody sleeps.
struct released : event {};

/// A transaction has announced that it sleeps until something that it has read changes, and is
/// about to look whether that has changed already.
struct falling_asleep : event {};

/// Retired blocks are about to be freed. Nobody has looked yet whether they may still be read.
struct reclaiming : event {};

/// The token is taken. Its holder has not looked yet which transactions commit.
struct token_taken : event {};

using all = event_list<beginning, begun, comparing, looking_again, extending, committing, locking,
                       advancing, validating, writing, releasing, released, falling_asleep,
                       reclaiming, token_taken>;

}  // namespace nopal::detail::stm_events
