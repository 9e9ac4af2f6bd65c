// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// The handles of one kind that a pool gives out: which are out, and in a build with assertions
/// whether one is being used.
class pool_handles {
 public:
  /// \param kind  "producers", "consumers": as the option is called that sets the limit.
  pool_handles(const char* kind, unsigned limit) : kind_(kind), entries_(limit) {}

  /// Ends the process with a message if a handle is still out: what it refers to is about to go.
  ~pool_handles();
  pool_handles(const pool_handles&) = delete;
  pool_handles& operator=(const pool_handles&) = delete;

  /// What the last holder of this handle did happened before. \throws std::length_error naming the
  /// limit.
  unsigned take();
  void give_back(unsigned handle) noexcept {
    entries_[handle].is_out.store(false, std::memory_order_release);  // pairs with take()
  }

  /// In a checking build ends the process if a handle refers to no pool any more.
  static void require([[maybe_unused]] const void* pool) noexcept {
#ifdef NOPAL_CHECK
    if (pool == nullptr) [[unlikely]]
      moved_from();
#endif
  }

#if NOPAL_ASSERTIONS
  /// Ends the process when two of them live at a time for one handle.
  class use {
   public:
    use(pool_handles& all, unsigned handle) noexcept : in_use_(all.entries_[handle].in_use) {
      if (in_use_.exchange(true, std::memory_order_relaxed)) used_by_two();
    }
    ~use() { in_use_.store(false, std::memory_order_relaxed); }
    use(const use&) = delete;
    use& operator=(const use&) = delete;

   private:
    std::atomic<bool>& in_use_;
  };
#else
  struct use {
    use(pool_handles&, unsigned) noexcept {}
  };
#endif

 private:
  [[noreturn]] static void used_by_two() noexcept;
  [[noreturn]] static void moved_from() noexcept;

  struct alignas(cache_line) entry {
    std::atomic<bool> is_out{false};
    std::atomic<bool> in_use{false};
  };

  const char* kind_;
  std::vector<entry> entries_;
};

}  // namespace nopal::detail
