// SPDX-License-Identifier: Apache-2.0
#include "platform/threads/service_thread.hpp"

#include "platform/signals_blocked.hpp"
#include "platform/threads/thread_setting.hpp"

namespace nopal::detail {

int start_service_thread(pthread_t& started, void* (*f)(void*), void* argument) noexcept {
  static_cast<void>(thread_setting::of_program());
  const signals_blocked inherited_by_the_thread;
  return pthread_create(&started, nullptr, f, argument);
}

void become_service_thread(const char* name) noexcept {
  pthread_setname_np(pthread_self(), name);
  thread_setting::of_program().apply_cpus();
}

}  // namespace nopal::detail
