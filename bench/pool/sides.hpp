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

/// \param out  has bool get(pool_task&), false where there is nothing.
template <class Out>
side_result run_consumer(Out& out, unsigned consumer, pool_traffic& traffic) {
  side_result done;
  for (;;) {
    const bool complete = traffic.is_complete();  // before the look that finds nothing
    unsigned n = 0;
    for (pool_task x = 0; n < pool_batch && out.get(x); ++n) {
      done.sum += x;
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
