// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/task_stack.hpp"

#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "platform/threads/kept_for_thread.hpp"

namespace nopal::detail {
namespace {

struct spare_stacks;
constinit thread_local spare_stacks* spares = nullptr;

/// A few spare stacks of a thread, since strands end on other threads than those where they began.
struct spare_stacks : kept_for_thread {
  static constexpr unsigned most = 8;

  ~spare_stacks() override {
    while (first != nullptr) delete std::exchange(first, first->next);
  }
  void thread_ends() noexcept override { spares = nullptr; }

  task_stack* first = nullptr;
  unsigned count = 0;
};

/// Returns the spare stacks of this thread, or nullptr if there is no memory.
spare_stacks* spares_of_thread() noexcept {
  if (spares == nullptr) {
    try {
      auto made = std::make_unique<spare_stacks>();
      spare_stacks* const s = made.get();
      keep_for_this_thread(std::move(made));
      spares = s;
    } catch (const std::bad_alloc&) {
    }
  }
  return spares;
}

}  // namespace

NOPAL_NOINLINE task_stack* take_task_stack() noexcept {
  spare_stacks* mine = spares;
  if (mine == nullptr || mine->first == nullptr) return new (std::nothrow) task_stack;
  --mine->count;
  return std::exchange(mine->first, mine->first->next);
}

NOPAL_NOINLINE void spare_task_stack(task_stack* s) noexcept {
  if (s == nullptr) return;
  NOPAL_ASSERT(s->empty());  // no frame of a task is left on it
  spare_stacks* mine = spares_of_thread();
  if (mine == nullptr || mine->count == spare_stacks::most) {
    delete s;
    return;
  }
  s->next = std::exchange(mine->first, s);
  ++mine->count;
}

}  // namespace nopal::detail
