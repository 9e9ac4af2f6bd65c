// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

namespace nopal_bench {

std::vector<variant>& registry() {
  // The registry is in a function because initializers of other files fill it, in any order.
  static std::vector<variant> all;
  return all;
}

}  // namespace nopal_bench
