// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// A queue of bounded length, whose memory is allocated once.
template <class T>
class element_ring {
 public:
  explicit element_ring(std::size_t capacity)
      : room_(capacity == 0 ? nullptr : std::allocator<T>().allocate(capacity)),
        capacity_(capacity) {}
  ~element_ring() {
    while (size_ != 0) pop();
    if (room_ != nullptr) std::allocator<T>().deallocate(room_, capacity_);
  }
  element_ring(const element_ring&) = delete;
  element_ring& operator=(const element_ring&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }

  void push(T&& v) noexcept {
    NOPAL_ASSERT(size_ < capacity_);
    const std::size_t to_end = capacity_ - first_;
    std::construct_at(room_ + (size_ < to_end ? first_ + size_ : size_ - to_end), std::move(v));
    ++size_;
  }
  [[nodiscard]] T& front() noexcept { return room_[first_]; }
  void pop() noexcept {
    NOPAL_ASSERT(size_ > 0);
    std::destroy_at(room_ + first_);
    first_ = first_ + 1 == capacity_ ? 0 : first_ + 1;
    --size_;
  }

 private:
  T* room_;
  std::size_t capacity_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace nopal::detail
