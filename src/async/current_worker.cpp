// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/current_worker.hpp"

namespace nopal::detail {

unsigned number_of_thread() {
  thread_local const worker_number own;
  return own.value();
}

}  // namespace nopal::detail
