// SPDX-License-Identifier: Apache-2.0
#include "io/thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <thread>

#include "strand/signals_blocked.hpp"

namespace nopal::detail {
namespace {

/// A worker is bound to one CPU, and its threads would be, too. The first thread of the process is
/// no worker. If there are more CPUs than the mask holds, the thread stays where it is.
void run_where_the_process_runs() noexcept {
  using mask = std::array<cpu_set_t, 8>;
  mask all{};
  if (sched_getaffinity(getpid(), sizeof all, all.data()) == 0)
    sched_setaffinity(0, sizeof all, all.data());
}

}  // namespace

int start_io_thread(void (*f)(void*) noexcept, void* argument) noexcept {
  const signals_blocked inherited_by_the_thread;
  try {
    std::thread([f, argument] {
      pthread_setname_np(pthread_self(), "nopal-io");
      run_where_the_process_runs();
      f(argument);
    }).detach();
    return 0;
  } catch (const std::system_error& e) {
    return e.code().value();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

}  // namespace nopal::detail
