// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/fork/invoke_erased.hpp"

#include "nopal/detail/fork/invoke_all.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

void invoke_erased(erased_closure f, erased_closure g) {
  worker* w = this_worker();
  if (w != nullptr) [[likely]]
    return fork_two<erased_closure, erased_closure>(w, f, g);
  auto both = [&] { fork_two<erased_closure&, erased_closure&>(this_worker(), f, g); };
  run_on_default_runtime([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
}

}  // namespace nopal::detail
