// SPDX-License-Identifier: Apache-2.0
#include "io/helpers.hpp"

#include <chrono>

#include "io/thread.hpp"

namespace nopal::detail {

int io_helpers::put(io_job& job) noexcept {
  if (waiting_ >= idle_ && threads_ < most) {
    // If no thread can be started, one that is busy takes the job later.
    const int error = start_thread();
    if (error != 0 && threads_ == 0) return error;
  }
  queue_.push_back(job);
  ++waiting_;
  changed_.notify_one();
  return 0;
}

int io_helpers::start_thread() noexcept {
  ++threads_;
  ++idle_;  // the new thread looks at the queue before it waits
  const int error = start_io_thread(
      [](void* self) noexcept { static_cast<io_helpers*>(self)->thread_main(); }, this);
  if (error != 0) {
    --threads_;
    --idle_;
  }
  return error;
}

void io_helpers::thread_main() noexcept {
  constexpr std::chrono::seconds patience(1);
  std::unique_lock lock(*lock_);
  while (changed_.wait_for(lock, patience, [this] { return !queue_.empty(); })) {
    auto& job = static_cast<io_job&>(*queue_.first());
    take_back(job);
    --idle_;
    lock.unlock();
    job.run(job);  // it may be gone afterwards
    lock.lock();
    ++idle_;
  }
  --idle_;
  --threads_;
}

}  // namespace nopal::detail
