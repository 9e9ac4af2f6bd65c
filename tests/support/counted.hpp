// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace nopal_test {

/// Can neither be copied nor made from nothing nor assigned. Counts its instances, and knows its
/// own address, so that one that is copied as bytes or destroyed twice is found.
class counted {
 public:
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> moves_until_throw{-1};  ///< Negative: no move throws.

  explicit counted(int v) noexcept : self_(this), value_(v) { ++alive; }
  counted(counted&& o) : self_(this), value_(o.value()) {
    if (moves_until_throw >= 0 && moves_until_throw-- == 0) throw std::runtime_error("moved");
    o.value_ = -1;
    ++alive;
  }
  counted(const counted&) = delete;
  counted& operator=(counted&&) = delete;
  ~counted() {
    EXPECT_EQ(self_, this);
    self_ = nullptr;
    --alive;
  }
  [[nodiscard]] int value() const {
    EXPECT_EQ(self_, this);
    return value_;
  }

 private:
  const counted* self_;
  int value_;
};

}  // namespace nopal_test
