// SPDX-License-Identifier: Apache-2.0
// This is the part of a worker_local that does not depend on its type: a pointer for each worker of
// the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// A pointer for each worker, found by the number of the worker. docs/async.md has the argument.
class worker_slots {
 public:
  /// Returns the pointer of `w`, which is the calling worker, or nullptr if it has put none.
  [[nodiscard]] void* find(const worker& w) const noexcept {
    const std::vector<void*>* slots = newest_.load(std::memory_order_acquire);  // pairs with put()
    const unsigned i = w.number.value();
    return slots != nullptr && i < slots->size() ? (*slots)[i] : nullptr;
  }

  /// Makes `p` the pointer of `w`, which is the calling worker and has put none yet.
  /// \throws std::bad_alloc: nothing has changed then.
  void put(const worker& w, void* p);

  /// Calls f(p) for each pointer that is not nullptr, for worker_local, which combines all values
  /// or destroys them. Nobody may put one meanwhile.
  template <class F>
  void for_each(F&& f) const {
    const std::vector<void*>* slots = newest_.load(std::memory_order_acquire);  // pairs with put()
    if (slots == nullptr) return;
    for (void* p : *slots)
      if (p != nullptr) f(p);
  }

 private:
  std::atomic<std::vector<void*>*> newest_{nullptr};
  std::mutex mutex_;
  /// All tables, the older ones too: somebody may be reading one.
  std::list<std::vector<void*>> all_;
};

#ifdef NOPAL_CHECK
/// Ends the program with a message if the calling strand forks or suspends before this is
/// destroyed.
class stays_on_worker {
 public:
  stays_on_worker() noexcept;
  ~stays_on_worker();
  stays_on_worker(const stays_on_worker&) = delete;
  stays_on_worker& operator=(const stays_on_worker&) = delete;

 private:
  const worker* worker_;
  std::uint64_t forks_;
  std::uint64_t switches_;
};
#endif

}  // namespace nopal::detail
