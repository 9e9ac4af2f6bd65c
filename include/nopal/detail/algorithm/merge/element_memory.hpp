// SPDX-License-Identifier: Apache-2.0
// Algorithms that need room for elements get it here, or learn that there is none.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Raw memory for n objects, or none.
template <class T>
class element_memory {
 public:
  explicit element_memory(std::ptrdiff_t n) noexcept {
    constexpr std::ptrdiff_t most =
        std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::ptrdiff_t>(sizeof(T));
    if (n > most) return;
    memory_ = ::operator new(static_cast<std::size_t>(n) * sizeof(T), std::align_val_t{alignof(T)},
                             std::nothrow);
  }
  element_memory(const element_memory&) = delete;
  element_memory& operator=(const element_memory&) = delete;
  ~element_memory() { ::operator delete(memory_, std::align_val_t{alignof(T)}); }

  [[nodiscard]] explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* begin() const noexcept { return static_cast<T*>(memory_); }

 private:
  void* memory_ = nullptr;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
