// SPDX-License-Identifier: Apache-2.0
// What a helper, the function that runs a spawned statement, shares with the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nopal/detail/fork/frame_join.hpp"

namespace nopal::detail {

/// What a helper keeps while its spawned function runs. It lies in the helper's own frame, because
/// the spawning function's may be in use elsewhere by then.
struct cilk_spawned {
  frame_join* frame;
  std::uint64_t order;
  bool stealable;
};

}  // namespace nopal::detail

/// The spawned statement has thrown, before or after the detach. The value is the helper's.
extern "C" std::size_t nopal_cilk_threw(nopal::detail::cilk_spawned* s,
                                        nopal::detail::suspension* frame, void* exception) noexcept;
