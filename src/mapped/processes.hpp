// SPDX-License-Identifier: Apache-2.0
// These are workers that are processes.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace nopal::detail {
class scheduler;
}

namespace nopal::detail::mapped {

/// The processes of the workers of a scheduler, each cloned by a thread that then watches it.
class processes {
 public:
  /// Starts the processes.
  /// \throws std::system_error if one cannot be started; none is left then.
  explicit processes(scheduler& s);

  /// Ends the processes: waits until each has left its run_worker(), after scheduler::stop().
  ~processes();
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;

  [[nodiscard]] pid_t of_worker(unsigned i) const noexcept { return all_[i].pid; }

 private:
  // States of a process.
  static constexpr std::uint32_t starting = 0;
  static constexpr std::uint32_t started = 1;  ///< The start is over: `error` says how it went.
  static constexpr std::uint32_t ended = 2;    ///< The process has ended as it should.

  struct one {
    processes* of;
    unsigned index;
    pid_t pid = 0;
    int error = 0;
    std::atomic<std::uint32_t> state{starting};  ///< A futex.
    pthread_t watcher{};
  };

  static void* watch(void* one_of_them);
  static void work(one& p) noexcept;
  void join(unsigned first_few) noexcept;

  scheduler& scheduler_;
  pid_t main_;
  std::vector<one> all_;
};

}  // namespace nopal::detail::mapped
