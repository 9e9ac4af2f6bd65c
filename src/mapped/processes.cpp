// SPDX-License-Identifier: Apache-2.0
#include "mapped/processes.hpp"

#include <sched.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "mapped/program.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "platform/futex.hpp"
#include "platform/message.hpp"
#include "platform/signals_blocked.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail::mapped {
namespace {

/// Gives stdout a buffer of this process. What the C library keeps of stdout is each process's own,
/// but its buffer lies on the shared heap. Returns the new buffer, or nullptr if stdout is not
/// buffered. The C library frees the earlier buffer only if the program has not given it. So the
/// main process must have called this before others are cloned.
/// \param by_lines  whether lines are written one by one, so that all lines of a worker are written
/// when it has done its part of run().
char* use_own_buffer_of_stdout(bool by_lines) noexcept {
  constexpr std::size_t unbuffered = 1;
  if (__fbufsize(stdout) == unbuffered) return nullptr;
  auto* own = static_cast<char*>(std::malloc(BUFSIZ));
  if (own == nullptr) return nullptr;
  std::setvbuf(stdout, own, by_lines || __flbf(stdout) != 0 ? _IOLBF : _IOFBF, BUFSIZ);
  return own;
}

/// Ends the program, because the process of a worker has ended too early, and in the same way: by
/// the same signal or with the same status.
[[noreturn]] void end_program(unsigned worker, pid_t pid, int status) noexcept {
  std::array<char, 256> message;
  const bool killed = WIFSIGNALED(status);
  const int what = killed ? WTERMSIG(status) : WEXITSTATUS(status);
  std::snprintf(message.data(), message.size(),
                "worker %u of a mapped runtime, process %d, %s %d%s%s; the program ends with it",
                worker, pid, killed ? "was ended by signal" : "has called exit, status", what,
                killed ? ", " : "", killed ? strsignal(what) : "");
  write_message(message.data());
  if (killed) {
    std::signal(what, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, what);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    raise(what);
  }
  // The other workers get a signal when the thread that watches them has gone.
  _exit(killed ? 128 + what : what);
}

}  // namespace

processes::processes(scheduler& s) : scheduler_(s), main_(getpid()), all_(s.workers()) {
  std::fflush(nullptr);  // otherwise each worker would write it once more
  static char* buffer_of_stdout = nullptr;
  if (char* other = use_own_buffer_of_stdout(false))
    std::free(std::exchange(buffer_of_stdout, other));
  const signals_blocked inherited_by_the_watchers;
  for (unsigned i = 0; i < all_.size(); ++i) {
    one& p = all_[i];
    p.of = this;
    p.index = i;
    p.error = pthread_create(&p.watcher, nullptr, watch, &p);
    if (p.error == 0) {
      while (p.state.load(std::memory_order_acquire) == starting)
        futex_wait(p.state, starting);  // pairs: watch()
      if (p.error == 0) continue;
      pthread_join(p.watcher, nullptr);
    }
    const int error = p.error;
    s.stop();
    join(i);
    throw std::system_error(error, std::system_category(),
                            no_more_started("process", i, s.workers()));
  }
}

processes::~processes() { join(static_cast<unsigned>(all_.size())); }

void processes::join(unsigned first_few) noexcept {
  for (unsigned i = 0; i < first_few; ++i) pthread_join(all_[i].watcher, nullptr);
}

/// Clones a worker and watches it. The worker is a copy of this thread, in a process of its own. It
/// has the thread-locals of this thread, and the part of the heap that mimalloc keeps for this
/// thread. The thread does not use that part meanwhile, and gives it up at its end.
void* processes::watch(void* argument) {
  one& p = *static_cast<one*>(argument);
  take_part_of_heap();  // before the clone
  // No signal comes at the end of the process, since the program did not start it. The order of the
  // arguments is x86-64's.
  const long pid = syscall(SYS_clone, CLONE_FILES | CLONE_FS, 0, 0, 0, 0);
  if (pid == 0) work(p);
  p.error = pid < 0 ? errno : 0;
  p.pid = static_cast<pid_t>(pid);
  p.state.store(started, std::memory_order_release);  // pairs with the constructor
  futex_wake(p.state, INT_MAX);                       // wakes the constructor, and the worker
  if (pid < 0) return nullptr;
  int status = 0;
  while (waitpid(p.pid, &status, __WALL) < 0 && errno == EINTR) {
  }
  // Pairs with work().
  if (p.state.load(std::memory_order_acquire) != ended || status != 0)
    end_program(p.index, p.pid, status);
  return nullptr;
}

/// Runs the process of a worker.
void processes::work(one& p) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != p.of->main_) _exit(EXIT_FAILURE);  // the main process has ended before that
  share_process_wide_fence();
  char* const buffer_of_stdout = use_own_buffer_of_stdout(true);
  while (p.state.load(std::memory_order_acquire) == starting)
    futex_wait(p.state, starting);  // pairs: watch()
  p.of->scheduler_.be_worker(p.index);
  std::fflush(nullptr);
  std::free(buffer_of_stdout);                      // nothing is written to it any more
  p.state.store(ended, std::memory_order_release);  // pairs with watch()
  _exit(EXIT_SUCCESS);
}

}  // namespace nopal::detail::mapped
