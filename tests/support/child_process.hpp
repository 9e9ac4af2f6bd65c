// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include "support/build.hpp"
#include "support/thread_state.hpp"

namespace nopal_test {

/// How a process ended, and what it wrote to stderr.
struct ended_process {
  bool exited = false;
  int status = -1;  ///< Exit status where exited, else the number of the signal.
  std::string errors;

  [[nodiscard]] bool ok() const { return exited && status == 0; }
};

inline std::ostream& operator<<(std::ostream& out, const ended_process& p) {
  return out << (p.exited ? "exit status " : "signal ") << p.status << ", stderr:\n" << p.errors;
}

/// Whether all threads but the caller wait in the kernel.
inline bool other_threads_wait() {
  const std::string self = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    if (task.path().filename() != self && exists(task) && !waits(task)) return false;
  return true;
}

/// AddressSanitizer does not take the locks of its allocator around fork(2), as C libraries do: one
/// that another thread holds at that moment is held for ever in the child. A thread that has just
/// started may hold one. At most a second: a worker that searches does not allocate.
inline void let_other_threads_come_to_rest() {
  for (int i = 0; i < 1000 && !other_threads_wait(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Runs f in a child of fork(2). Its exit status is what f returns; 120 where f throws. A child
/// that hangs is ended by SIGALRM.
/// \param leave_by_exit  ends the child by exit(3), with everything that atexit(3) knows of;
/// otherwise by _exit(2).
template <class F>
ended_process in_child(F&& f, bool leave_by_exit = false, unsigned seconds = 30) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  if (with_asan) let_other_threads_come_to_rest();
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    int status = 120;
    try {
      status = f();
    } catch (const std::exception& e) {
      std::cerr << "exception: " << e.what() << std::endl;
    } catch (...) {
      std::cerr << "exception" << std::endl;
    }
    if (leave_by_exit) std::exit(status);
    _exit(status);
  }
  close(ends[1]);
  ended_process result;
  std::array<char, 4096> buffer;
  for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
    result.errors.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return result;
  result.exited = WIFEXITED(status);
  result.status = result.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  return result;
}

}  // namespace nopal_test
