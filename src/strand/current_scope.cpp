// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/strand/current_scope.hpp"

#include <string>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/strand/stop_scope.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal::detail {
namespace {

constinit thread_local stop_scope* of_thread = nullptr;

}  // namespace

NOPAL_NOINLINE stop_scope* scope_of_thread() noexcept { return of_thread; }
NOPAL_NOINLINE void set_scope_of_thread(stop_scope* s) noexcept { of_thread = s; }

void check_scope(const char* what) {
  const stop_scope* s = current_scope();
  if (s != nullptr && s->is_stopped())
    throw stopped((std::string(what) + " ended by a requested stop").c_str());
}

}  // namespace nopal::detail
