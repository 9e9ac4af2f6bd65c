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
    const thread_places places = places_for(how);
    o.places.producers = places.producers;
    o.places.consumers = places.consumers;
  }
  return o;
}

/// What goes through nopal's pools is a pointer, as it mostly is where the paper's tasks are:
/// nothing is ever read there.
struct something;
using element = something*;

template <class Mechanism>
class nopal_queue {
  using pool = nopal::pool<element, Mechanism>;

  struct producer_end {
    decltype(std::declval<pool&>().producer()) handle;
    void put(pool_task x) { handle.emplace(reinterpret_cast<element>(x)); }
  };
  class consumer_end {
    decltype(std::declval<pool&>().consumer()) handle;

   public:
    explicit consumer_end(pool& from) : handle(from.consumer()) {}
    bool get(pool_task& to) { return is_there(handle.get(), to); }
    bool try_get(pool_task& to) { return is_there(handle.try_get(), to); }

   private:
    static bool is_there(std::optional<element> x, pool_task& to) {
      to = reinterpret_cast<pool_task>(x.value_or(nullptr));
      return x.has_value();
    }
  };

 public:
  explicit nopal_queue(const pool_load& how) : pool_(options_for(how)) {}
  auto producer() { return producer_end{pool_.producer()}; }
  auto consumer() { return consumer_end(pool_); }

 private:
  pool pool_;
};

template <class Mechanism>
bool enroll(const char* name, std::uint32_t chunk) {
  return enroll_pool<nopal_queue<Mechanism>>(name, chunk,
                                             {{"name", "nopal"}, {"version", NOPAL_BENCH_VERSION}});
}

using salsa = nopal::detail::salsa<element>;
using salsa_cas = nopal::detail::salsa_cas<element>;
using concurrent_bag = nopal::detail::concurrent_bag<element>;

// The chunks are those that are fastest for each with two threads and with four, by --chunk; the
// paper has 1000, and 128 for bags.
const bool enrolled[] = {enroll<salsa>("salsa", 512),
                         enroll<salsa_cas>("salsa-cas", 512),
                         enroll<concurrent_bag>("concurrent-bag", 512),
                         enroll<nopal::detail::ms_queue<element>>("ms-queue", 0),
                         enroll<nopal::detail::lifo_stack<element>>("lifo-stack", 0),
                         enroll<unbalanced<salsa>>("salsa-unbalanced", 512),
                         enroll<unbalanced<salsa_cas>>("salsa-cas-unbalanced", 512),
                         enroll<unbalanced<concurrent_bag>>("concurrent-bag-unbalanced", 512)};

}  // namespace
}  // namespace nopal_bench
