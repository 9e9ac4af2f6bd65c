// SPDX-License-Identifier: Apache-2.0
// A fault injector: the system refuses what nopal asks of it, at chosen calls.
//
// refusal.cpp defines the functions of libc and of liburing by which nopal asks, so they stand in
// front of the real ones: in a program that it is linked to, and, as a shared object, in one that
// LD_PRELOAD brings it into (environment variable NOPAL_TEST_REFUSE).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nopal_test {

enum class resource : std::uint8_t {
  mmap,
  guard,  ///< madvise(2) with MADV_GUARD_INSTALL, as on a kernel before 6.13.
  madvise,
  mprotect,
  mincore,
  pipe,
  membarrier,
  futex_wait,
  thread,
  attributes,  ///< pthread_getattr_np(3).
  affinity,
  signal_stack,
  epoll_create,
  epoll_ctl,
  epoll_wait,
  eventfd,
  ring,        ///< io_uring_setup(2), by liburing.
  ring_probe,  ///< io_uring_register(2), by liburing.
  ring_enter,  ///< io_uring_enter(2), by liburing.
  number
};
inline constexpr std::size_t resources = static_cast<std::size_t>(resource::number);

constexpr std::array<std::string_view, resources> resource_names{
    "mmap",     "guard",        "madvise",      "mprotect",  "mincore",
    "pipe",     "membarrier",   "futex_wait",   "thread",    "attributes",
    "affinity", "signal_stack", "epoll_create", "epoll_ctl", "epoll_wait",
    "eventfd",  "ring",         "ring_probe",   "ring_enter"};

constexpr std::uint32_t only(resource r) { return 1U << static_cast<unsigned>(r); }
constexpr std::uint32_t all_resources = (1U << resources) - 1;

/// Which calls fail.
struct refusal_plan {
  std::uint32_t of = 0;    ///< A bit for each resource.
  std::uint64_t at = 0;    ///< The call with this number, counted from 1 for each; 0: see below.
  std::uint64_t seed = 0;  ///< Calls are drawn.
  unsigned one_in = 1;     ///< So many calls on average; 1: all.
  bool threads_of_nopal = false;  ///< Only what workers and threads of nopal::io ask for.
};

/// From here on calls fail as `plan` says, and are counted anew. Not while other threads call.
void refuse(const refusal_plan& plan);
/// No call fails from here on.
void refuse_nothing();

/// Calls that have failed.
std::uint64_t refused(resource r);

}  // namespace nopal_test
