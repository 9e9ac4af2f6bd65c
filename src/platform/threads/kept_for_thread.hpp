// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace nopal::detail {

/// An object that nopal keeps for a thread until the thread ends, or until the code of nopal is
/// unmapped. A thread_local object with a destructor would keep the code mapped as long as the
/// thread lives, which for the main thread is as long as the process.
class kept_for_thread {
 public:
  kept_for_thread() noexcept = default;
  /// Runs at the end of the thread, on it; or at an unloading, when nobody uses nopal any more, on
  /// another thread.
  virtual ~kept_for_thread() = default;
  kept_for_thread(const kept_for_thread&) = delete;
  kept_for_thread& operator=(const kept_for_thread&) = delete;

  /// Runs on the thread, before the destructor, and not at an unloading. After it thread-locals
  /// must not lead to the object any more.
  virtual void thread_ends() noexcept = 0;

 private:
  friend void keep_for_this_thread(std::unique_ptr<kept_for_thread> k);
  friend void end_of_thread(void*) noexcept;

  void* slot_ = nullptr;
  kept_for_thread* next_of_thread_ = nullptr;
};

/// Keeps the object until the calling thread ends.
/// \throws std::bad_alloc
void keep_for_this_thread(std::unique_ptr<kept_for_thread> k);

}  // namespace nopal::detail
