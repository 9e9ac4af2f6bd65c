// SPDX-License-Identifier: Apache-2.0
// A helper, the function that runs a spawned statement, shares this with the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nopal/detail/fork/frame_join.hpp"

namespace nopal::detail {

/// A helper keeps this while its spawned function runs. It lies in the helper's own frame, because
/// the spawning function's may be in use elsewhere by then.
struct cilk_spawned {
  frame_join* frame;
  std::uint64_t order;
  bool stealable;
};

}  // namespace nopal::detail

/// A helper calls this if the spawned statement has thrown, before or after the detach, and returns
/// what this returns. If the spawning function was stolen, this does not return.
extern "C" std::size_t nopal_cilk_threw(nopal::detail::cilk_spawned* s,
                                        nopal::detail::suspension* frame, void* exception) noexcept;
