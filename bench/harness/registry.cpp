// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

namespace nopal_bench {

std::vector<variant>& registry() {
  static std::vector<variant>
      all;  // in a function: filled by initializers of other files, in an order unknown
  return all;
}

}  // namespace nopal_bench
