// SPDX-License-Identifier: Apache-2.0
// moodycamel::ConcurrentQueue as its own page asks for speed: a token for each thread, and the room
// allocated before.
#include <concurrentqueue.h>

#include <new>

#include "pool/enroll.hpp"

namespace nopal_bench {
namespace {

class moodycamel_queue {
  using queue = moodycamel::ConcurrentQueue<pool_task>;

  struct producer_end {
    queue& q;
    moodycamel::ProducerToken token;
    void put(pool_task x) {
      if (!q.enqueue(token, x)) {
        throw std::bad_alloc();
      }
    }
  };
  struct consumer_end {
    queue& q;
    moodycamel::ConsumerToken token;
    bool get(pool_task& to) { return q.try_dequeue(token, to); }
  };

 public:
  explicit moodycamel_queue(const pool_load& how) : queue_(how.window, how.producers, 0) {}
  auto producer() { return producer_end{queue_, moodycamel::ProducerToken(queue_)}; }
  auto consumer() { return consumer_end{queue_, moodycamel::ConsumerToken(queue_)}; }

 private:
  queue queue_;
};

const bool enrolled = enroll_pool<moodycamel_queue>("moodycamel", 0, {{"name", "moodycamel"}});

}  // namespace
}  // namespace nopal_bench
