// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace nopal_test {

/// How many tasks a test deals with: few enough for every day; NOPAL_TEST_TASKS overrides it, for a
/// night.
inline std::uint64_t tasks_or(std::uint64_t few) {
  const char* text = std::getenv("NOPAL_TEST_TASKS");
  return text == nullptr ? few : std::strtoull(text, nullptr, 0);
}

}  // namespace nopal_test
