// SPDX-License-Identifier: Apache-2.0
#ifndef NDEBUG
#define NDEBUG
#endif
#include <cstdlib>

#include "nopal/detail/platform/assert.hpp"
#include "unit/platform/mixed_ndebug.hpp"

namespace {

[[maybe_unused]] bool must_not_be_called() { std::abort(); }

}  // namespace

bool passes_where_nothing_is_asserted() {
  const int asked_for_here_alone = 1;  // no warning that it is unused
  NOPAL_ASSERT(asked_for_here_alone == 2);
  NOPAL_ASSERT(must_not_be_called());
  return true;
}

bool uses_nopal_with_ndebug() { return nopal_test::uses_nopal(); }
