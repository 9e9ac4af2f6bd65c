// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/task_stack.hpp"

#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {
namespace {

/// A few, since strands end on other threads than they began.
struct spare_stacks {
  static constexpr unsigned most = 8;

  spare_stacks() noexcept = default;
  ~spare_stacks() {
    while (first != nullptr) delete std::exchange(first, first->next);
  }
  spare_stacks(const spare_stacks&) = delete;
  spare_stacks& operator=(const spare_stacks&) = delete;

  task_stack* first = nullptr;
  unsigned count = 0;
};

thread_local spare_stacks spares;

}  // namespace

NOPAL_NOINLINE task_stack* take_task_stack() noexcept {
  spare_stacks& mine = spares;
  if (mine.first == nullptr) return new (std::nothrow) task_stack;
  --mine.count;
  return std::exchange(mine.first, mine.first->next);
}

NOPAL_NOINLINE void spare_task_stack(task_stack* s) noexcept {
  if (s == nullptr) return;
  NOPAL_ASSERT(s->empty());  // no frame of a task is left on it
  spare_stacks& mine = spares;
  if (mine.count == spare_stacks::most) {
    delete s;
    return;
  }
  s->next = std::exchange(mine.first, s);
  ++mine.count;
}

}  // namespace nopal::detail
