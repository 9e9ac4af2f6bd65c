// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>

namespace nopal_test {

/// The CPUs of this process, in turn: thread 0 gets the first. Left to the system, two threads that
/// yield share one for long, and then hardly ever meet.
inline void pin(unsigned thread) {
  static const cpu_set_t allowed = [] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
  }();
  int skip = static_cast<int>(thread) % std::max(1, CPU_COUNT(&allowed));
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

}  // namespace nopal_test
