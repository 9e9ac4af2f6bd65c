// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "strand/stack.hpp"

namespace nopal::detail {

/// The free stacks of one worker. Any worker may take from it (context stealing, Schmaus 2015,
/// section 3.4.2).
///
/// Only the owner stores a list; everybody else, and the owner too, takes the whole list by one
/// exchange. So every operation is wait-free: a bounded number of steps, linear in the number of
/// free stacks where a list is joined to another.
class stack_cache {
 public:
  stack_cache() = default;
  ~stack_cache();
  stack_cache(const stack_cache&) = delete;
  stack_cache& operator=(const stack_cache&) = delete;

  /// Owner.
  void put(stack* s) noexcept;

  /// Owner. nullptr where there is none.
  stack* get() noexcept;

  /// Owner of this pool: one from `victim`; whatever else was free there comes along. nullptr where
  /// there was none.
  stack* get_from(stack_cache& victim) noexcept;

  /// Owner: a new stack from the system, or nullptr.
  stack* map(std::size_t usable_bytes) noexcept;

  /// Anybody: calls f(stack) for every stack that this pool's owner ever mapped.
  template <class F>
  void for_each_mapped(F&& f) const {
    for (const stack* s = mapped_.load(std::memory_order_acquire); s != nullptr;
         s = s->next_mapped)  // pairs with map()
      f(*s);
  }

 private:
  stack* take_all() noexcept {
    return free_.exchange(nullptr, std::memory_order_acquire);
  }  // pairs with put_all()
  void put_all(stack* list) noexcept {
    free_.store(list, std::memory_order_release);
  }  // pairs with take_all()

  std::atomic<stack*> free_{nullptr};
  std::atomic<stack*> mapped_{nullptr};  ///< Stacks go back to the system only with the pool.
};

}  // namespace nopal::detail
