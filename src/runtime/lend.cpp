// SPDX-License-Identifier: Apache-2.0
// A thread that is no worker lends its own stack to a runtime: for a call, which it runs as a
// guest, or until a fork_frame ends. docs/strand.md, "Lent stacks", describes it.
#include "runtime/lend.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/runtime/lend.hpp"
#include "runtime/lent_stack.hpp"

namespace nopal::detail {
namespace {

/// Returns the stack of the calling thread, if the caller runs there and as much is left as a
/// strand's stack has, else nullptr.
lent_stack* stack_with_room(std::size_t bytes) noexcept try {
  lent_stack& own = lent_stack::of_this_thread();
  const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
  return own.holds(here) && own.usable_below(here) >= bytes ? &own : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
} catch (const std::system_error&) {
  return nullptr;
}

/// Calls call(argument) on a stack that is lent, and takes that back. Returns what was thrown.
NOPAL_NOINLINE std::exception_ptr call_on(lent_stack& own, void (*call)(void*),
                                          void* argument) noexcept {
  std::exception_ptr thrown;
  try {
    call(argument);
  } catch (...) {
    thrown = std::current_exception();
  }
  own.take_back();
  views_come_back_to_thread();
  return thrown;
}

}  // namespace

bool run_as_guest(scheduler& s, void (*call)(void*), void* argument) {
  if (!s.takes_guests()) return false;
  lent_stack* const own = stack_with_room(s.stack_bytes());
  if (own == nullptr || !own->lend_to_guest(s)) return false;
  if (std::exception_ptr thrown = call_on(*own, call, argument))
    std::rethrow_exception(std::move(thrown));
  return true;
}

NOPAL_NOINLINE void enter_default_runtime(lend_to to) {
  lent_stack& own = lent_stack::of_this_thread();
  if (!own.holds(__builtin_frame_address(0)))
    throw std::logic_error(
        "nopal: a fork_frame outside of a runtime needs the stack that its thread was started "
        "with, and runs on another one (of "
        "a fiber or a signal handler); call it through nopal::run");
  scheduler& s = enter_default_scheduler();  // finished() is in leave_default_runtime()
  if (to == lend_to::worker || !own.lend_to_guest(s)) own.lend_to_worker(s);
}

NOPAL_NOINLINE void leave_default_runtime() noexcept {
  auto& own = static_cast<lent_stack&>(*current_stack());
  own.take_back();
  views_come_back_to_thread();
  own.lent_to().finished();
}

}  // namespace nopal::detail
