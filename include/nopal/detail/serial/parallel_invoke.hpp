// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace nopal {
inline namespace serial {

template <class... F>
void parallel_invoke(F&&... f) {
  static_assert((std::is_invocable_v<F&> && ...),
                "nopal::parallel_invoke: each argument must be callable without arguments");
  static_assert((std::is_void_v<std::invoke_result_t<F&>> && ...),
                "nopal::parallel_invoke: each closure must return void; hand results back through "
                "a captured reference");
  (static_cast<void>(f()), ...);
}

}  // namespace serial
}  // namespace nopal
