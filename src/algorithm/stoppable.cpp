// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/stoppable.hpp"

#include "nopal/stop.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

void run_with_stop(const std::stop_token& t, void (*f)(void*), void* argument) {
  with_stop(t, f, argument);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
