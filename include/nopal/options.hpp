// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // functions that differ from the library's need other linker names
#endif

/// What a worker does when it finds no work.
enum class idle_policy {
  lazy,  ///< One worker of each NUMA group keeps searching while there is work anywhere; the others
         ///< sleep in the kernel.
  /// Every worker searches without pause. This has the lowest latency, and always takes one whole
  /// CPU for each worker.
  busy,
};

/// What becomes of the stale pages below the live part of a suspended or empty stack.
enum class reclaim_policy {
  none,  ///< Keep them: fastest, and the space bound holds no longer.
  free,  ///< `MADV_FREE` at every suspension: the kernel takes them when it needs them.
  /// `MADV_DONTNEED` at every suspension: this keeps the bound to the letter, and costs one system
  /// call for each suspension.
  dontneed,
  adaptive,  ///< Give back only what the space bound P (S_1 + D) needs (docs/strand.md).
};

/// How a runtime is set up. The environment can set every field too; see from_environment().
/// \code
/// nopal::options o = nopal::options::from_environment();
/// o.workers = 4;
/// nopal::runtime four(o);
/// \endcode
struct options {
  /// Number of workers, at most 1024. 0: one for each CPU that the affinity mask and the cgroup
  /// quota leave to this process. Environment: `NOPAL_WORKERS`.
  unsigned workers = 0;

  /// Whether each worker is bound to one CPU, for a machine that the program has for itself. What a
  /// strand starts then, a process or a thread, is bound to the same CPU. If binding is not
  /// permitted the worker runs unbound, and statistics::unpinned counts it. If false, a worker
  /// begins on a CPU of its own, and the kernel may move it. Environment: `NOPAL_PIN` (0, 1, false,
  /// true, no, yes, off, on).
  bool pin = false;

  /// What idle workers do. Environment: `NOPAL_IDLE` (lazy, busy).
  idle_policy idle = idle_policy::lazy;

  /// Virtual size of a strand's stack in bytes, 16 KiB to 1 GiB, rounded up to whole pages. A
  /// physical page comes when it is touched. Environment: `NOPAL_STACK_BYTES` (a number, which a
  /// suffix K, M or G multiplies by 1024, 1024^2 or 1024^3).
  std::size_t stack_bytes = std::size_t{1} << 20;

  /// When stale pages go back to the kernel. Environment: `NOPAL_RECLAIM` (none, free, dontneed,
  /// adaptive).
  reclaim_policy reclaim = reclaim_policy::adaptive;

  /// Seed of victim selection. 0 draws one from the system. Environment: `NOPAL_SEED`.
  std::uint64_t seed = 0;

  /// Whether a thread that is no worker takes part in what it calls: it runs its call itself, on
  /// its own stack, and workers steal from it. As many workers sleep meanwhile. If false, or with
  /// idle_policy::busy, in a claim, on a thread with less than stack_bytes left, or beside 64
  /// others, a worker runs the call and the thread sleeps. Environment: `NOPAL_CALLER_WORKS` (0, 1,
  /// false, true, no, yes, off, on).
  bool caller_works = true;

  /// The defaults above, overridden by what the environment sets. The variable `NOPAL_IO` (auto,
  /// threads) sets none of them, since nopal::io serves all runtimes of a process, but is checked.
  /// An empty variable counts as not set. If a variable is set that begins with NOPAL_ and is none
  /// of these, a note on stderr says so, once in a process. Those that begin with NOPAL_TEST_ and
  /// NOPAL_BENCH_ are left to tests and benchmarks.
  /// \throws std::invalid_argument naming the variable, its value and what is allowed.
#ifdef NOPAL_SERIAL
  // Nothing depends on the variables.
  [[nodiscard]] static options from_environment() { return {}; }
#else
  [[nodiscard]] static options from_environment();
#endif
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
