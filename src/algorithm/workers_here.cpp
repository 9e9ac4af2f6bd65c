// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/workers_here.hpp"

#include <cstddef>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/runtime.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

std::size_t workers_here() { return nopal::workers(); }

void run_on_a_worker(void (*f)(const void*), const void* argument) {
  if (detail::this_worker() != nullptr) return f(argument);
  auto call = [&] { f(argument); };
  detail::run_on_default_runtime([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
