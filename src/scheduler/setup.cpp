// SPDX-License-Identifier: Apache-2.0
#include "scheduler/setup.hpp"

#include <sched.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

#include "platform/stack_memory.hpp"
#include "scheduler/limits.hpp"

namespace nopal::detail {

options checked(options o) {
  if (o.workers > max_workers)
    throw std::invalid_argument("nopal: options::workers is " + std::to_string(o.workers) +
                                "; allowed are 0 (choose) to " + std::to_string(max_workers));
  if (o.stack_bytes < min_stack_bytes || o.stack_bytes > max_stack_bytes)
    throw std::invalid_argument("nopal: options::stack_bytes is " + std::to_string(o.stack_bytes) +
                                "; allowed are " + std::to_string(min_stack_bytes) + " to " +
                                std::to_string(max_stack_bytes));
  const std::size_t page = page_size();
  o.stack_bytes = (o.stack_bytes + page - 1) / page * page;
  return o;
}

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) | 1;
}

std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers) {
  const std::vector<topology::place>& places = t.places();
  std::size_t first = 0;
  if (workers < places.size()) {
    const int here = sched_getcpu();
    const auto it = std::ranges::find_if(
        places, [&](const auto& p) { return static_cast<int>(p.cpu) == here; });
    if (it != places.end()) first = static_cast<std::size_t>(it - places.begin());
  }
  std::vector<std::size_t> chosen(workers);
  for (std::size_t i = 0; i < workers; ++i) chosen[i] = (first + i) % places.size();
  return chosen;
}

}  // namespace nopal::detail
