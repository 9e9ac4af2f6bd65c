// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// Returns the scope that the calling thread, which is no worker, is in; nullptr if there is none.
/// This is not inlined, since a compiler would keep the address of the thread-local.
stop_scope* scope_of_thread() noexcept;
void set_scope_of_thread(stop_scope* s) noexcept;

/// Returns the scope that the calling strand or thread is in, or nullptr.
inline stop_scope* current_scope() noexcept {
  const worker* w = this_worker();
  return w != nullptr ? w->deque.scope() : scope_of_thread();
}

/// Makes `s` the scope of the calling strand or thread.
inline void set_current_scope(stop_scope* s) noexcept {
  worker* w = this_worker();
  if (w != nullptr)
    w->deque.set_scope(s);
  else
    set_scope_of_thread(s);
}

/// Ends what the caller does if a stop has come to its scope.
/// \param what  names that in the message.
/// \throws nopal::stopped
void check_scope(const char* what);

}  // namespace nopal::detail
