// SPDX-License-Identifier: Apache-2.0
// boost::lockfree::queue, of variable size, with as many nodes from the start as it is going to
// need.
#include <boost/lockfree/queue.hpp>
#include <boost/version.hpp>
#include <new>

#include "pool/enroll.hpp"
#include "pool/same_end.hpp"

namespace nopal_bench {
namespace {

class boost_queue : public same_end<boost_queue> {
 public:
  explicit boost_queue(const pool_load& how) : queue_(how.window) {}
  void put(pool_task x) {
    if (!queue_.push(x)) {
      throw std::bad_alloc();
    }
  }
  bool get(pool_task& to) { return queue_.pop(to); }

 private:
  boost::lockfree::queue<pool_task> queue_;
};

const bool enrolled =
    enroll_pool<boost_queue>("boost-queue", 0, {{"name", "Boost"}, {"version", BOOST_LIB_VERSION}});

}  // namespace
}  // namespace nopal_bench
