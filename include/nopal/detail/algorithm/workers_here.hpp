// SPDX-License-Identifier: Apache-2.0
// Algorithms that cut by the number of workers ask for it here.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

#ifdef NOPAL_SERIAL

inline std::size_t workers_here() noexcept { return 1; }

template <class F>
void on_a_worker(const F& f) {
  f();
}

#else

/// Returns nopal::workers(), without the header of runtimes.
std::size_t workers_here();

/// Calls f(argument) on the calling worker, or on the default runtime if the caller is no worker.
void run_on_a_worker(void (*f)(const void*), const void* argument);

/// Calls f() on a worker. What runs there forks without starting the default runtime for each fork,
/// and no fork throws because that cannot start.
template <class F>
void on_a_worker(const F& f) {
  run_on_a_worker([](const void* c) { (*static_cast<const F*>(c))(); }, &f);
}

#endif

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
