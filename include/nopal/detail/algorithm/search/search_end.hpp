// SPDX-License-Identifier: Apache-2.0
// This is where a search ends, as far as its strands know by now.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The number of the first element that is known to end a search, and the exception if the search
/// ends by one. Blocks behind that element are skipped. Blocks before it are searched, so that in
/// the end it is the first of all.
class search_end {
 public:
  explicit search_end(std::ptrdiff_t n) noexcept : end_(n) {}
  search_end(const search_end&) = delete;
  search_end& operator=(const search_end&) = delete;

  /// Searches a block by leaf(block), which returns the first element that ends the search, or the
  /// end of the block.
  template <class Leaf>
  void search(part block, const Leaf& leaf) {
    if (block.from > end_.load(std::memory_order_relaxed)) return;
    try {
      const std::ptrdiff_t found = leaf(block);
      if (found != block.to) lower(found);
    } catch (...) {
      fail(block.from);
    }
  }

  /// Returns the end of the search, or throws the exception that is its end. All strands of the
  /// search have been joined.
  [[nodiscard]] NOPAL_NOINLINE std::ptrdiff_t result() {
    const std::ptrdiff_t end = end_.load(std::memory_order_relaxed);
    if (failure_ != nullptr && failed_at_ == end)
      std::rethrow_exception(std::exchange(failure_, nullptr));
    return end;
  }

  /// Returns where the end stands. It only decreases. What is read there is a hint until the
  /// strands have been joined, and the join orders everything, so it is read and written relaxed.
  [[nodiscard]] const std::atomic<std::ptrdiff_t>* place() const noexcept { return &end_; }

 private:
  void lower(std::ptrdiff_t to) noexcept {
    std::ptrdiff_t end = end_.load(std::memory_order_relaxed);
    while (to < end && !end_.compare_exchange_weak(end, to, std::memory_order_relaxed)) {
    }
  }

  /// Notes the current exception, from a block that begins with this element. Which of the block's
  /// elements has thrown is not known, but no element in front of it has ended the search, and no
  /// other block has an end there.
  NOPAL_NOINLINE void fail(std::ptrdiff_t at) noexcept {
    std::exception_ptr failure = std::current_exception();
    // Acquire, and release at the end: the strands that fail take turns with failure_.
    while (busy_.test_and_set(std::memory_order_acquire))
      busy_.wait(true, std::memory_order_relaxed);
    if (failure_ == nullptr || at < failed_at_) {
      failure_.swap(failure);
      failed_at_ = at;
    }
    busy_.clear(std::memory_order_release);
    busy_.notify_one();
    lower(at);
  }

  std::atomic<std::ptrdiff_t> end_;
  std::atomic_flag busy_;
  std::exception_ptr failure_;
  std::ptrdiff_t failed_at_ = 0;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
