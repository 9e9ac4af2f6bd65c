// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>
#include <initializer_list>

namespace nopal::detail {

/// While this object lives, the calling thread and threads that it starts do not handle signals
/// meant for the program: those go to the program's own threads. A handler would find a strange
/// thread-local state here.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    const sigset_t all = all_of_program();
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

  /// Returns all signals but those that a thread raises by what it does itself.
  static sigset_t all_of_program() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
      sigdelset(&all, own);
    return all;
  }

 private:
  sigset_t before_;
};

}  // namespace nopal::detail
