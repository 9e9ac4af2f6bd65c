// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/allocate.hpp"
#else

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "nopal/detail/task/allocate_awaiter.hpp"
#include "nopal/detail/task/segmented_stack.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal {

/// An array on the stack of the task that has allocated it; see allocate(). It ends with its scope.
/// If a child that was forked meanwhile is still running then, the end waits for it.
template <class T>
class task_array {
 public:
  ~task_array() {
    task_->join_in_place();
    std::destroy(begin(), end());
    task_->free_array(memory_, bytes_);
  }
  task_array(const task_array&) = delete;
  task_array& operator=(const task_array&) = delete;

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  operator std::span<T>() const noexcept { return {data(), size_}; }

  // Only co_await calls this.
  task_array(detail::task_promise& t, std::size_t size) : task_(&t), size_(size) {
    static_assert(alignof(T) <= detail::segmented_stack::alignment,
                  "nopal::allocate: T must not be over-aligned");
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_array_new_length();
    bytes_ = size * sizeof(T);
    memory_ = t.allocate_array(bytes_);
    try {
      std::uninitialized_default_construct_n(data(), size);
    } catch (...) {
      t.free_array(memory_, bytes_);
      throw;
    }
  }

 private:
  detail::task_promise* task_;
  std::size_t size_;
  std::size_t bytes_;
  void* memory_;
};

/// auto a = co_await allocate<T>(n) makes an array of n default-initialized T on the segmented
/// stack of the task: for what alloca would do, or for the results of children, with an n that is
/// known only then and no allocation on the heap.
///
/// allocate() joins first, since a stack belongs to its task only as long as nothing of it is
/// forked. Arrays end in the reverse order of their allocation.
/// \code
/// nopal::task<int> square(int n) { co_return n * n; }
/// nopal::task<int> sum_of_squares(int n) {
///   auto squares = co_await nopal::allocate<int>(static_cast<std::size_t>(n));
///   for (int i = 0; i < n; ++i) co_await nopal::fork(&squares[i], square, i);
///   co_await nopal::join();
///   co_return std::accumulate(squares.begin(), squares.end(), 0);
/// }
/// \endcode
///
/// \param n  number of elements.
/// \throws std::bad_array_new_length, std::bad_alloc, whatever a constructor throws, and whatever
/// join() throws.
/// Complexity: a pointer is moved, and n elements are constructed.
/// Source: Williams and Elliott 2024, section III-C.
template <class T>
[[nodiscard("nopal: it takes place where it is awaited: co_await nopal::allocate<T>(n)")]] detail::
    allocate_expression<T>
    allocate(std::size_t n) noexcept {
  return {n};
}

}  // namespace nopal

#endif
