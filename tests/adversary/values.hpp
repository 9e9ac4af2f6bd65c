// SPDX-License-Identifier: Apache-2.0
// Values and calls that no compiler can see through.
#pragma once

#include <atomic>

#include "adversary.hpp"

namespace nopal_test {

template <class T>
[[gnu::noinline]] T opaque(T v) {
  asm volatile("" : : "r"(&v) : "memory");
  return v;
}

/// A child: returns its argument, after the thread was perhaps taken away.
template <class T>
[[gnu::noinline]] T slowly(T v) {
  preempt();
  return opaque(v);
}

/// An object whose constructions and destructions must balance. It knows its own address, so that
/// one which was copied as bytes, or is used after its end, is found.
class tracked {
 public:
  static std::atomic<long> alive;

  explicit tracked(int v = 0) : self_(this), value_(v) { ++alive; }
  tracked(const tracked& o) : self_(this), value_(o.value()) { ++alive; }
  tracked(tracked&& o) noexcept : self_(this), value_(o.value()) { ++alive; }
  tracked& operator=(const tracked& o) {
    value_ = o.value();
    return *this;
  }
  ~tracked() {
    if (self_ != this) lost();
    self_ = nullptr;
    --alive;
  }
  [[nodiscard]] int value() const noexcept {
    if (self_ != this) lost();
    return value_;
  }

 private:
  [[noreturn]] static void lost() noexcept;
  const tracked* self_;
  int value_;
};

}  // namespace nopal_test
