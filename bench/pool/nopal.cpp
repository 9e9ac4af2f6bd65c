// SPDX-License-Identifier: Apache-2.0
// nopal::pool, by each of its mechanisms.
#include <nopal/detail/pool/salsa.hpp>
#include <nopal/pool.hpp>
#include <variants/pool/concurrent_bag.hpp>
#include <variants/pool/lifo_stack.hpp>
#include <variants/pool/ms_queue.hpp>
#include <variants/pool/salsa_cas.hpp>

#include "pool/enroll.hpp"
#include "pool/places.hpp"
#include "pool/unbalanced.hpp"

namespace nopal_bench {
namespace {

nopal::pool_options options_for(const pool_load& how) {
  nopal::pool_options o{.producers = how.producers, .consumers = how.consumers};
  if (how.chunk != 0) {
    o.chunk = how.chunk;
  }
  if (how.pinned) {
    const thread_places places = mixed_places(how.producers, how.consumers, number_of_places());
    o.places.producers = places.producers;
    o.places.consumers = places.consumers;
  }
  return o;
}

template <class Mechanism>
class nopal_queue {
  using pool = nopal::pool<pool_task, Mechanism>;

  struct consumer_end {
    decltype(std::declval<pool&>().consumer()) handle;
    bool get(pool_task& to) {
      const auto x = handle.get();
      to = x.value_or(0);
      return x.has_value();
    }
  };

 public:
  explicit nopal_queue(const pool_load& how) : pool_(options_for(how)) {}
  auto producer() { return pool_.producer(); }
  auto consumer() { return consumer_end{pool_.consumer()}; }

 private:
  pool pool_;
};

template <class Mechanism>
bool enroll(const char* name, std::uint32_t chunk) {
  return enroll_pool<nopal_queue<Mechanism>>(name, chunk,
                                             {{"name", "nopal"}, {"version", NOPAL_BENCH_VERSION}});
}

using salsa = nopal::detail::salsa<pool_task>;
using salsa_cas = nopal::detail::salsa_cas<pool_task>;

// The chunks are those that are fastest for each with two threads and with four, by --chunk; the
// paper has 1000, and 128 for bags.
const bool enrolled[] = {enroll<salsa>("salsa", 512),
                         enroll<salsa_cas>("salsa-cas", 512),
                         enroll<nopal::detail::concurrent_bag<pool_task>>("concurrent-bag", 512),
                         enroll<nopal::detail::ms_queue<pool_task>>("ms-queue", 0),
                         enroll<nopal::detail::lifo_stack<pool_task>>("lifo-stack", 0),
                         enroll<unbalanced<salsa>>("salsa-unbalanced", 512),
                         enroll<unbalanced<salsa_cas>>("salsa-cas-unbalanced", 512)};

}  // namespace
}  // namespace nopal_bench
