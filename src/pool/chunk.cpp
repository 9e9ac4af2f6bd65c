// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/chunk.hpp"

#include <stdexcept>

namespace nopal::detail {

void refuse_mark() {
  throw std::invalid_argument(
      "nopal: put of the pointer 0x8000000000000001 or 0x8000000000000003 into a pool of pointers, "
      "which keeps these two for itself; no object has such an address");
}

}  // namespace nopal::detail
