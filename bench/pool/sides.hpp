// SPDX-License-Identifier: Apache-2.0
// What the threads do, the same code for all variants.
#pragma once

#include <cstdint>
#include <thread>

#include "pool/load.hpp"
#include "pool/traffic.hpp"

namespace nopal_bench {

/// What one thread has done.
struct side_result {
  std::uint64_t tasks = 0;
  pool_task sum = 0;
  std::uint64_t idle = 0;  ///< How often a producer had to pause, or a consumer found nothing.
};

/// \param in  has put(pool_task).
template <class In>
side_result run_producer(In& in, unsigned producer, pool_traffic& traffic) {
  side_result done;
  pool_task next = (pool_task{producer} + 1) << 40;  // no task like that of another producer
  while (!traffic.is_stopped()) {
    const std::uint64_t batches = traffic.room() / pool_batch;
    if (batches == 0) {
      ++done.idle;
      std::this_thread::yield();
      continue;
    }
    for (std::uint64_t b = 0; b < batches && !traffic.is_stopped(); ++b) {
      for (unsigned i = 0; i < pool_batch; ++i) {
        in.put(next);
        done.sum += next++;
      }
      done.tasks += pool_batch;
      traffic.publish_put(producer, done.tasks);
    }
  }
  return done;
}

/// Without finding out whether there is anything, as long as more comes; where a queue has that.
template <class Out>
bool get_one(Out& out, pool_task& to, bool complete) {
  if constexpr (requires { out.try_get(to); }) {
    if (!complete) {
      return out.try_get(to);
    }
  }
  return out.get(to);
}

/// So many multiplications, each of which waits for the one before.
inline pool_task work(pool_task x, unsigned steps) {
  pool_task y = x;
  for (unsigned i = 0; i < steps; ++i) {
    y = y * 6364136223846793005U + 1;
    asm volatile("" : "+r"(y));  // is not left out
  }
  return x;
}

/// \param out  has bool get(pool_task&), false where there is nothing.
/// \param slow  steps of work for each task.
/// \param stalls  takes one task and then none until the time is over.
template <class Out>
side_result run_consumer(Out& out, unsigned consumer, pool_traffic& traffic, unsigned slow,
                         bool stalls) {
  side_result done;
  for (;;) {
    const bool complete = traffic.is_complete();  // before the look that finds nothing
    unsigned n = 0;
    for (pool_task x = 0; n < pool_batch && get_one(out, x, complete); ++n) {
      done.sum += slow == 0 ? x : work(x, slow);
      if (stalls) [[unlikely]] {
        traffic.wait_for_stop();
      }
    }
    done.tasks += n;
    traffic.publish_got(consumer, done.tasks);
    if (n < pool_batch) {
      if (complete) {
        return done;
      }
      ++done.idle;
      std::this_thread::yield();
    }
  }
}

}  // namespace nopal_bench
