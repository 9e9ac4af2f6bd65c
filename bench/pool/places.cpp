// SPDX-License-Identifier: Apache-2.0
#include "pool/places.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>

#include "platform/topology.hpp"

namespace nopal_bench {

namespace {

const nopal::detail::topology& machine() {
  static const nopal::detail::topology this_one;
  return this_one;
}

}  // namespace

thread_places mixed_places(unsigned producers, unsigned consumers, unsigned places) {
  const unsigned threads = producers + consumers;
  thread_places chosen;
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned place = threads <= places ? t : t * places / threads;
    // The next of the kind of which the smaller share is placed: (2p + 1) / producers against (2c +
    // 1) / consumers.
    const std::size_t p = chosen.producers.size();
    const std::size_t c = chosen.consumers.size();
    const bool producer_next =
        c == consumers || (p < producers && (2 * p + 1) * consumers <= (2 * c + 1) * producers);
    (producer_next ? chosen.producers : chosen.consumers).push_back(place);
  }
  return chosen;
}

thread_places separate_places(unsigned producers, unsigned consumers, unsigned places) {
  if (places < 2) {
    throw std::runtime_error("producers need a CPU without consumers, and there is but one CPU");
  }
  const unsigned theirs = std::min(producers, places - 1);
  thread_places chosen;
  for (unsigned p = 0; p < producers; ++p) {
    chosen.producers.push_back(p % theirs);
  }
  for (unsigned c = 0; c < consumers; ++c) {
    chosen.consumers.push_back(theirs + c % (places - theirs));
  }
  return chosen;
}

thread_places places_for(const pool_load& how) {
  return (how.producers_alone ? separate_places : mixed_places)(how.producers, how.consumers,
                                                                number_of_places());
}

unsigned number_of_places() { return static_cast<unsigned>(machine().places().size()); }

void pin_to(unsigned place) {
  const unsigned cpu = machine().places()[place].cpu;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "a thread cannot be pinned to CPU " + std::to_string(cpu));
  }
}

}  // namespace nopal_bench
