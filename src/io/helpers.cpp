// SPDX-License-Identifier: Apache-2.0
#include "io/helpers.hpp"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "platform/threads/service_thread.hpp"
#include "platform/threads/thread_setting.hpp"

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

/// Starts one more thread, for put(). Returns 0 or the error number.
int io_helpers::start_thread() noexcept {
  ++threads_;
  ++idle_;  // the new thread looks at the queue before it waits
  pthread_t started;
  const int error = start_service_thread(
      started,
      [](void* self) -> void* {
        static_cast<io_helpers*>(self)->thread_main();
        return nullptr;
      },
      this);
  if (error != 0) {
    --threads_;
    --idle_;
  }
  return error;
}

/// Runs job after job, and ends when there has been none for a second. This is the whole of a
/// helper thread. The thread that ends joins the one that ended before it, so that end() joins the
/// last alone.
void io_helpers::thread_main() noexcept {
  become_service_thread("nopal-io");
  thread_setting::of_program().apply();  // a function of nopal::blocking may start a process
  constexpr std::chrono::seconds patience(1);
  std::unique_lock lock(*lock_);
  const auto is_called = [this] { return !queue_.empty() || ending_; };
  while (changed_.wait_for(lock, patience, is_called) && !queue_.empty()) {
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
  const auto before = std::exchange(last_gone_, pthread_self());
  if (ending_) gone_.notify_all();
  lock.unlock();
  if (before) pthread_join(*before, nullptr);
}

void io_helpers::end(std::unique_lock<std::mutex>& l, bool idle_only) noexcept {
  ending_ = true;
  changed_.notify_all();
  const auto have_gone = [&] { return all_have_gone(idle_only); };
  if (idle_only)
    gone_.wait_for(l, std::chrono::seconds(1), have_gone);
  else
    gone_.wait(l, have_gone);
  const auto last = std::exchange(last_gone_, std::nullopt);
  l.unlock();
  if (last) pthread_join(*last, nullptr);
  l.lock();
}

}  // namespace nopal::detail
