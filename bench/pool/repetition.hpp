// SPDX-License-Identifier: Apache-2.0
// One repetition: a pool of its own, threads of its own, and every task accounted for.
#pragma once

#include <chrono>
#include <cstdint>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pool/first_failure.hpp"
#include "pool/load.hpp"
#include "pool/places.hpp"
#include "pool/sides.hpp"
#include "pool/swaps.hpp"
#include "pool/traffic.hpp"

namespace nopal_bench {

/// How much comes out in how long, once the pool is warm.
inline void watch(const pool_traffic& traffic, const pool_load& how, const first_failure& failure,
                  pool_repetition& found) {
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;
  std::this_thread::sleep_for(seconds(how.warm_up_seconds()));
  const auto begin = clock::now();
  const std::uint64_t before = traffic.got();
  do {  // on a machine with other things to do a short time may bring nothing
    std::this_thread::sleep_for(seconds(how.seconds));
    found.seconds = seconds(clock::now() - begin).count();
    found.tasks = traffic.got() - before;
  } while (found.tasks == 0 && !failure);
}

/// The sum of what all threads of a kind have done.
inline side_result total(const std::vector<side_result>& sides) {
  side_result all;
  for (const auto& s : sides) {
    all.tasks += s.tasks;
    all.sum += s.sum;
    all.idle += s.idle;
  }
  return all;
}

/// \param Queue  is made from a pool_load, and its producer() and consumer() are handles as
/// run_producer() and run_consumer()
///               want them.
/// \throws std::runtime_error if what came out is not what went in; and what a thread has thrown.
template <class Queue>
pool_repetition repeat_once(const pool_load& how) {
  Queue queue(how);
  pool_traffic traffic(how);
  const thread_places places = places_for(how);
  std::vector<side_result> put(how.producers);
  std::vector<side_result> got(how.consumers);
  first_failure failure;
  pool_repetition found;
  swap_count swaps;

  std::latch start(how.threads() + 1);
  const auto thread = [&](unsigned place, auto side) {
    return std::jthread([&start, &failure, &how, place, side = std::move(side), &swaps]() mutable {
      failure.guard([&] {
        if (how.pinned) {
          pin_to(place);
        }
      });
      start.arrive_and_wait();
      failure.guard(side);
      swaps.add_mine();
    });
  };
  {
    std::vector<std::jthread> consumers;
    std::vector<std::jthread> producers;
    for (unsigned c = 0; c < how.consumers; ++c) {
      consumers.push_back(
          thread(places.consumers[c], [&traffic, &how, &got, c, out = queue.consumer()]() mutable {
            got[c] = run_consumer(out, c, traffic, c == 0 ? how.slow : 0, c == 0 && how.stalled);
          }));
    }
    for (unsigned p = 0; p < how.producers; ++p) {
      producers.push_back(
          thread(places.producers[p], [&traffic, &put, p, in = queue.producer()]() mutable {
            put[p] = run_producer(in, p, traffic);
          }));
    }
    start.arrive_and_wait();
    watch(traffic, how, failure, found);
    traffic.stop();
    producers.clear();
    traffic.no_more();
  }
  failure.rethrow();

  const side_result in = total(put);
  const side_result out = total(got);
  if (in.tasks != out.tasks || in.sum != out.sum) {
    throw std::runtime_error("wrong: " + std::to_string(in.tasks) +
                             " tasks went in, with the sum " + std::to_string(in.sum) + ", and " +
                             std::to_string(out.tasks) + " came out, with the sum " +
                             std::to_string(out.sum));
  }
  found.put = in.tasks;
  found.pauses = in.idle;
  found.empty_gets = out.idle;
  found.compare_and_swaps = swaps.all();
  return found;
}

}  // namespace nopal_bench
