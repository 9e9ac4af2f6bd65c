// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/stack_memory.hpp"

namespace nopal::detail {

/// Makes an overflow of a strand's stack end the program with a message. Only the first call in a
/// process has an effect. The handler that was installed for SIGSEGV is called for every other
/// fault.
/// \param what_overflowed  the message if the fault address lies in the guard of the stack on which
/// the calling thread runs, else nullptr. Signal-safe.
void install_overflow_handler(
    const char* (*what_overflowed)(const void* address) noexcept) noexcept;

/// The stack on which the calling thread handles signals while this lives: a thread whose own stack
/// has overflowed needs another. If the system gives none, an overflow is a bare SIGSEGV.
class signal_stack {
 public:
  signal_stack() noexcept;
  ~signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

  /// Leaves the stack where it is, for a thread that lives on.
  void leave_to_thread() noexcept { memory_.begin = nullptr; }

 private:
  stack_memory memory_;
};

}  // namespace nopal::detail
