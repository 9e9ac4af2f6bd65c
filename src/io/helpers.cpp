// SPDX-License-Identifier: Apache-2.0
#include "io/helpers.hpp"

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "platform/signals/signals_blocked.hpp"
#include "platform/thread_setting.hpp"

namespace nopal::detail {

int start_io_thread(void (*f)(void*) noexcept, void* argument) noexcept {
  const signals_blocked inherited_by_the_thread;
  try {
    std::thread([f, argument] {
      pthread_setname_np(pthread_self(), "nopal-io");
      thread_setting::of_program().apply_cpus();
      f(argument);
    }).detach();
    return 0;
  } catch (const std::system_error& e) {
    return e.code().value();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

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
  thread_setting::of_program().apply();  // a function of nopal::blocking may start a process
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
