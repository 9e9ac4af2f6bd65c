// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace nopal::detail {

class scheduler;
struct scheduler_worker;

/// Knows, in a checking build, which workers of a runtime are in a futex call that their strands
/// have made: for a lock of the standard library or of libc, or for another thread. Such a worker
/// runs nothing else, and nopal knows nothing of the wait.
///
/// What nopal waits for itself is no such call. A strand that waits for it has left its worker, and
/// a worker that sleeps is on its scheduler stack. The locks in nopal are held briefly.
class futex_waits {
 public:
  explicit futex_waits(unsigned workers) : of_workers_(workers) {}

  /// Says which workers have been in one call for over a second, each call once. The watch calls
  /// this from time to time. It reads a small file for each worker that runs a strand, and another
  /// one if that worker is in a futex call. Says nothing if the files cannot be read.
  void look(scheduler& s);

 private:
  using clock = std::chrono::steady_clock;

  /// What the last look saw of a worker.
  struct wait {
    std::size_t call = 0;  ///< A number for the futex call that it was in, or 0.
    clock::time_point since;
    bool said = false;
  };

  static void look_at(const scheduler_worker& w, wait& last);

  std::vector<wait> of_workers_;
};

}  // namespace nopal::detail
