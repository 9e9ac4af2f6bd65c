// SPDX-License-Identifier: Apache-2.0
// A scan forks the halves of a part by this where it goes on with what has been stolen.
#pragma once

#include "nopal/algorithm/grain.hpp"

#ifndef NOPAL_SERIAL
#include "nopal/detail/fork/invoke_erased.hpp"
#endif

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Runs two closures that return nothing, as parallel_invoke() does, but more slowly: compilers see
/// the fork in one place, for all closures.
template <class F, class G>
void invoke_halves(F f, G g) {
#ifdef NOPAL_SERIAL
  f();
  g();
#else
  detail::invoke_erased(detail::erased(f), detail::erased(g));
#endif
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
