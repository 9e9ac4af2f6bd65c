// SPDX-License-Identifier: Apache-2.0
// What everybody begins with: a queue and a lock.
#include <deque>
#include <mutex>

#include "pool/enroll.hpp"
#include "pool/same_end.hpp"

namespace nopal_bench {
namespace {

class mutex_deque : public same_end<mutex_deque> {
 public:
  explicit mutex_deque(const pool_load&) {}

  void put(pool_task x) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(x);
  }

  bool get(pool_task& to) {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      return false;
    }
    to = tasks_.front();
    tasks_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<pool_task> tasks_;
};

const bool enrolled = enroll_pool<mutex_deque>("mutex-deque", 0, {{"name", "std::deque"}});

}  // namespace
}  // namespace nopal_bench
