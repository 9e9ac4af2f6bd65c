// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <system_error>

namespace nopal_bench {

/// Gives threads that do not say how large their stack is to be at least so many bytes from now on.
/// Libraries need it whose workers are of std::thread, which cannot say it.
inline void have_thread_stacks_of(std::size_t bytes) {
  const auto check = [](int error) {
    if (error != 0) {
      throw std::system_error(error, std::generic_category(), "stack size of threads");
    }
  };
  pthread_attr_t attributes;
  std::size_t now = 0;
  check(pthread_getattr_default_np(&attributes));
  check(pthread_attr_getstacksize(&attributes, &now));
  if (now < bytes) {
    check(pthread_attr_setstacksize(&attributes, bytes));
    check(pthread_setattr_default_np(&attributes));
  }
  check(pthread_attr_destroy(&attributes));
}

}  // namespace nopal_bench
