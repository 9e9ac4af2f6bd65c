// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

/// A continuation that comes to a worker other than by its deque. Whoever submits it keeps it alive
/// until it has run.
struct submission : continuation {
  bool resumes =
      false;  ///< It goes on with a strand that has its stack; otherwise it needs a fresh one.
  submission* next = nullptr;
};

/// Has worker `index` of the calling worker's runtime run `s`, once: when it has nothing left of
/// its own. Lock-free; docs/idle.md.
void submit_to(unsigned index, submission& s) noexcept;

/// Whether `index` is that of the calling worker in its runtime.
/// \throws std::out_of_range where there is no such worker.
bool is_this_worker(unsigned index);

}  // namespace nopal::detail
