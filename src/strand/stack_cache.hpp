// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "strand/stack.hpp"

namespace nopal::detail {

/// The free stacks of one worker. Any worker may take from it (context stealing, Schmaus 2015,
/// section 3.4.2).
///
/// Only the owner stores a list. Any worker, the owner as well, takes the whole list by one
/// exchange. So every operation is wait-free: it takes a bounded number of steps, linear in the
/// number of free stacks if a list is joined to another.
class stack_cache {
 public:
  stack_cache() = default;
  ~stack_cache();
  stack_cache(const stack_cache&) = delete;
  stack_cache& operator=(const stack_cache&) = delete;

  /// Adds `s`. Only the owner calls this.
  void put(stack* s) noexcept;

  /// Takes a stack, or returns nullptr if there is none. Only the owner calls this.
  stack* get() noexcept;

  /// Takes a stack from `victim`, or returns nullptr if it has none. All others that were free
  /// there come into this cache. Only the owner of this cache calls this.
  stack* get_from(stack_cache& victim) noexcept;

  /// Maps a new stack, or returns nullptr if the system gives none. Only the owner calls this.
  stack* map(std::size_t usable_bytes) noexcept;

  /// Calls f(stack) for every stack that this cache's owner ever mapped. Any thread may call this.
  template <class F>
  void for_each_mapped(F&& f) const {
    // The acquire pairs with the release in map().
    for (const stack* s = mapped_.load(std::memory_order_acquire); s != nullptr; s = s->next_mapped)
      f(*s);
  }

 private:
  // The acquire in take_all() pairs with the release in put_all().
  stack* take_all() noexcept { return free_.exchange(nullptr, std::memory_order_acquire); }
  void put_all(stack* list) noexcept { free_.store(list, std::memory_order_release); }

  std::atomic<stack*> free_{nullptr};
  /// Stacks go back to the system only with the cache.
  std::atomic<stack*> mapped_{nullptr};
};

}  // namespace nopal::detail
