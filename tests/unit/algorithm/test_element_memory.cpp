// SPDX-License-Identifier: Apache-2.0
// Large memory of algorithms begins where a huge page may.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "nopal/detail/algorithm/element_memory.hpp"
#include "support/build.hpp"

namespace {

using nopal::algorithm_detail::element_memory;
using nopal::algorithm_detail::huge_page;
using nopal::algorithm_detail::raw_buffer;

struct alignas(64) line {
  char bytes[64];
};

std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

TEST(ElementMemory, IsAlignedAsItsElementsAre) {
  for (const std::ptrdiff_t n : {0, 1, 1000}) {
    const raw_buffer<line> buffer(n);
    EXPECT_EQ(address_of(buffer.data()) % 64, 0U);
    for (std::ptrdiff_t i = 0; i < n; ++i) *new (buffer.data() + i) line{} = line{"all of it"};
  }
}

TEST(ElementMemory, BeginsAtAHugePageIfItIsLarge) {
  constexpr auto large = static_cast<std::ptrdiff_t>(2 * huge_page / sizeof(int));
  for (const std::ptrdiff_t n : {large, large + 1, 3 * large}) {
    const raw_buffer<int> buffer(n);
    EXPECT_EQ(address_of(buffer.data()) % huge_page, 0U);
    buffer.data()[0] = buffer.data()[n - 1] = 1;
  }
}

TEST(ElementMemory, TooLarge) {
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  EXPECT_FALSE(element_memory<int>(most));
  EXPECT_THROW(raw_buffer<int>{most}, std::bad_alloc);
  if (nopal_test::with_sanitizer) return;  // which ends the program
  EXPECT_FALSE(element_memory<int>(most / 4));
  EXPECT_THROW(raw_buffer<int>{most / 4}, std::bad_alloc);
}

}  // namespace
