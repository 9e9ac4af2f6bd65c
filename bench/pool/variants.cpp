// SPDX-License-Identifier: Apache-2.0
#include "pool/variants.hpp"

namespace nopal_bench {

std::vector<pool_variant>& pool_variants() {
  static std::vector<pool_variant>
      all;  // in a function: filled by initializers of other files, in an order unknown
  return all;
}

}  // namespace nopal_bench
