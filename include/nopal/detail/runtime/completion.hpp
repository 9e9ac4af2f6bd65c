// SPDX-License-Identifier: Apache-2.0
// What run() does with a function that returns something that is yet to be run, such as a task.
#pragma once

#include <utility>

namespace nopal::detail {

/// A front end specializes this for what its functions return: completion<R>::complete(r) runs r to
/// its end, on a worker, and returns its result.
template <class R>
struct completion;

template <class R>
concept has_completion = requires(R r) { completion<R>::complete(std::move(r)); };

}  // namespace nopal::detail
