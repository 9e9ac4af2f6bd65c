// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <span>

#include "nopal/detail/serial/task_promise.hpp"
#include "nopal/detail/task/segmented_stack.hpp"

namespace nopal {
inline namespace serial {

/// An array on the heap.
template <class T>
class task_array {
 public:
  explicit task_array(std::size_t size) : elements_(new T[size]), size_(size) {
    static_assert(alignof(T) <= detail::segmented_stack::alignment,
                  "nopal::allocate: T must not be over-aligned");
  }
  task_array(const task_array&) = delete;
  task_array& operator=(const task_array&) = delete;

  [[nodiscard]] T* data() const noexcept { return elements_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  operator std::span<T>() const noexcept { return {data(), size_}; }

 private:
  std::unique_ptr<T[]> elements_;
  std::size_t size_;
};

namespace serial_detail {

template <class T>
struct allocate_awaiter : join_awaiter {
  std::size_t size;
  [[nodiscard]] task_array<T> await_resume() const {
    join_awaiter::await_resume();
    return task_array<T>(size);
  }
};

template <class T>
struct allocate_expression {
  std::size_t size;
  [[nodiscard]] allocate_awaiter<T> awaiter_in(task_promise& t) const noexcept {
    return {{{}, &t}, size};
  }
};

}  // namespace serial_detail

template <class T>
[[nodiscard(
    "nopal: it takes place where it is awaited: co_await "
    "nopal::allocate<T>(n)")]] serial_detail::allocate_expression<T>
allocate(std::size_t n) noexcept {
  return {n};
}

}  // namespace serial
}  // namespace nopal
