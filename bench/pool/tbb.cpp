// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_queue.h>
#include <tbb/version.h>

#include "pool/enroll.hpp"
#include "pool/same_end.hpp"

namespace nopal_bench {
namespace {

class tbb_queue : public same_end<tbb_queue> {
 public:
  explicit tbb_queue(const pool_load&) {}
  void put(pool_task x) { queue_.push(x); }
  bool get(pool_task& to) { return queue_.try_pop(to); }

 private:
  tbb::concurrent_queue<pool_task> queue_;
};

const bool enrolled = enroll_pool<tbb_queue>(
    "tbb-queue", 0, {{"name", "oneTBB"}, {"version", TBB_runtime_version()}});

}  // namespace
}  // namespace nopal_bench
