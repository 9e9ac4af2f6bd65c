// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// What happens in transactions. Tests delay these steps, and refuse those of which that is said,
/// to see that the step is needed.
namespace nopal::detail::stm_events {

/// A transaction has read the clock and is about to announce that it begins.
struct beginning : event {};

/// It has announced that.
struct begun : event {};

/// It is about to compare the version of a lock that it has looked at with its own. If refused it
/// takes any version.
struct comparing : event {
  using answer = bool;
};

/// It has read a value and is about to look at the lock again. If refused it does not.
struct looking_again : event {
  using answer = bool;
};

/// It has read the clock anew, and is about to look whether all that it has read is as it was. If
/// refused it takes that as given.
struct extending : event {
  using answer = bool;
};

/// A transaction that commits has said so, and is about to look at the token.
struct committing : event {};

/// It is about to take the next lock.
struct locking : event {};

/// It has all locks and is about to advance the clock.
struct advancing : event {};

/// It is about to look whether all that it has read is as it was. If refused it takes that as
/// given.
struct validating : event {
  using answer = bool;
};

/// It is about to write.
struct writing : event {};

/// It has written and is about to give its locks back. If refused they get their old versions.
struct releasing : event {
  using answer = bool;
};

/// It has given its locks back and has not looked yet whether somebody sleeps.
struct released : event {};

/// A transaction is about to sleep until something that it has read changes, has said so, and looks
/// whether it has changed already.
struct falling_asleep : event {};

/// Retired blocks are about to be freed: nobody has looked yet who might read them.
struct reclaiming : event {};

/// The token is taken, and nobody has looked yet who commits.
struct token_taken : event {};

using all = event_list<beginning, begun, comparing, looking_again, extending, committing, locking,
                       advancing, validating, writing, releasing, released, falling_asleep,
                       reclaiming, token_taken>;

}  // namespace nopal::detail::stm_events
