// SPDX-License-Identifier: Apache-2.0
// This is memory for elements that are made later.
#pragma once

#include <cstddef>
#include <memory>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Memory for n elements. Whoever makes elements in it destroys them.
template <class T>
class raw_buffer {
 public:
  /// \throws std::bad_alloc
  explicit raw_buffer(std::ptrdiff_t n)
      : size_(static_cast<std::size_t>(n)), elements_(std::allocator<T>().allocate(size_)) {}
  ~raw_buffer() { std::allocator<T>().deallocate(elements_, size_); }
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;

  [[nodiscard]] T* data() const noexcept { return elements_; }

 private:
  std::size_t size_;
  T* elements_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
