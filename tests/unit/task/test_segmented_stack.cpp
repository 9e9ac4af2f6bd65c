// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "nopal/detail/task/segmented_stack.hpp"
#include "support/seed.hpp"

namespace {

using nopal::detail::segmented_stack;

/// A stack, and what is on it.
class filled {
 public:
  void push(std::size_t bytes) {
    void* p = stack.push(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % segmented_stack::alignment, 0U);
    std::memset(p, static_cast<int>(elements_.size() % 251), bytes);
    elements_.emplace_back(static_cast<unsigned char*>(p), bytes);
    in_use += bytes;
  }
  void pop() {
    const auto [p, bytes] = elements_.back();
    elements_.pop_back();
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(p[i], elements_.size() % 251);
    EXPECT_TRUE(stack.ends_at(p + bytes));
    stack.pop(p);
    in_use -= bytes;
  }
  [[nodiscard]] bool empty() const { return elements_.empty(); }

  segmented_stack stack;
  std::size_t in_use = 0;

 private:
  std::vector<std::pair<unsigned char*, std::size_t>> elements_;
};

/// Theorem 1 with what this implementation needs: the three lowest stacklets, of 640 bytes and
/// twice 16 KiB, may stay, and each has a header of 32 bytes.
std::size_t bound(std::size_t times, std::size_t in_use) {
  const double m = static_cast<double>(in_use);
  return (std::size_t{48} << 10) + times * in_use +
         (in_use == 0 ? 0 : static_cast<std::size_t>(32 * (2 + std::log2(m))));
}

void push_and_pop(std::size_t times, unsigned units, unsigned units_of_large) {
  nopal_test::random_numbers random(nopal_test::seed_or(1));
  filled f;
  for (int i = 0; i < 200000; ++i) {
    // In long runs up and down, so that a stacklet is kept over one that is all but empty.
    const bool up = i / 5000 % 2 == 0;
    if (f.empty() || random.one_in(8) != up)
      f.push(16 * (1 + random.below(random.one_in(1000) ? units_of_large : units)));
    else
      f.pop();
    ASSERT_LE(f.stack.bytes_held(), bound(times, f.in_use)) << f.in_use << " in use";
  }
  while (!f.empty()) {
    f.pop();
    ASSERT_LE(f.stack.bytes_held(), bound(times, f.in_use)) << f.in_use << " in use";
  }
}

TEST(SegmentedStack, LastInFirstOut) {
  filled f;
  EXPECT_TRUE(f.stack.empty());
  for (int i = 0; i < 10000; ++i) f.push(112);
  EXPECT_FALSE(f.stack.empty());
  while (!f.empty()) f.pop();
  EXPECT_TRUE(f.stack.empty());
}

TEST(SegmentedStack, HoldsNoMoreThanTheTheoremSays) { push_and_pop(4, 8, 8); }

// Now and then one that is much larger than all below it.
TEST(SegmentedStack, HoldsNoMoreOfLargeElements) { push_and_pop(8, 30, 10000); }

TEST(SegmentedStack, AtTheEndOfAStackletNothingIsTakenAgainAndAgain) {
  segmented_stack s;
  std::size_t held = 0;
  while (s.bytes_held() <= 65536) {
    held = s.bytes_held();
    s.push(16);
  }
  EXPECT_LT(held, s.bytes_held());
  // The element that began a stacklet comes and goes; the stacklet stays.
  held = s.bytes_held();
  void* p = s.push(16);
  s.pop(p);
  s.pop(static_cast<std::byte*>(p) - 16);
  EXPECT_EQ(s.bytes_held(), held);
  EXPECT_EQ(s.push(16), static_cast<std::byte*>(p) - 16);
}

#if NOPAL_ASAN
TEST(SegmentedStack, WhatIsGivenBackIsPoisoned) {
  segmented_stack s;
  auto* below = static_cast<char*>(s.push(48));
  auto* p = static_cast<char*>(s.push(32));
  s.pop(p);
  for (int i = 0; i < 48; ++i) EXPECT_FALSE(__asan_address_is_poisoned(below + i));
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(__asan_address_is_poisoned(p + i));
  EXPECT_EQ(s.push(16), p);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(__asan_address_is_poisoned(p + i) != 0, i >= 16);
  s.pop(p);
  s.pop(below);
}
#endif

}  // namespace
