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

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

#ifdef NOPAL_SERIAL
inline void ask_for_huge_pages(void* /*at*/, std::size_t /*bytes*/) noexcept {}
#else
/// Asks for huge pages. The first touch of a page is a fault, which takes longer than to fill the
/// page. A huge page is one fault instead of 512, if the system has one.
void ask_for_huge_pages(void* at, std::size_t bytes) noexcept;
#endif

/// Raw memory for n objects, or none. Whoever makes objects in it destroys them.
template <class T>
class element_memory {
 public:
  explicit element_memory(std::ptrdiff_t n) noexcept {
    constexpr std::ptrdiff_t most =
        std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::ptrdiff_t>(sizeof(T));
    if (n > most) return;
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    const bool large = bytes >= 2 * huge_page;
    if (large) alignment_ = std::align_val_t{huge_page};
    memory_ = ::operator new(bytes, alignment_, std::nothrow);
    if (large && memory_ != nullptr) ask_for_huge_pages(memory_, bytes);
  }
  element_memory(const element_memory&) = delete;
  element_memory& operator=(const element_memory&) = delete;
  ~element_memory() { ::operator delete(memory_, alignment_); }

  [[nodiscard]] explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* begin() const noexcept { return static_cast<T*>(memory_); }

 private:
  static_assert(alignof(T) <= huge_page);
  std::align_val_t alignment_{alignof(T)};
  void* memory_ = nullptr;
};

/// The same for algorithms that cannot do without.
template <class T>
class raw_buffer {
 public:
  /// \throws std::bad_alloc
  explicit raw_buffer(std::ptrdiff_t n) : memory_(n) {
    if (!memory_) throw std::bad_alloc();
  }
  [[nodiscard]] T* data() const noexcept { return memory_.begin(); }

 private:
  element_memory<T> memory_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
