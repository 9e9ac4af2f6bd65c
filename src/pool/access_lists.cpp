// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/access_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/topology.hpp"

namespace nopal::detail {
namespace {

constexpr unsigned most_handles = 1024;
constexpr unsigned most_elements = 1U << 20;

/// Throws if a field of the pool's options is out of range.
void check(const char* field, std::uint64_t value, std::uint64_t most) {
  if (value < 1 || value > most)
    throw std::invalid_argument("nopal: pool_options::" + std::string(field) + " is " +
                                std::to_string(value) + "; allowed are 1 to " +
                                std::to_string(most));
}

/// Throws if the places of the producers, or of the consumers, are given and are not one for each.
void check_places(const char* field, const std::vector<unsigned>& places, unsigned threads) {
  if (!places.empty() && places.size() != threads)
    throw std::invalid_argument("nopal: pool_places::" + std::string(field) + " has " +
                                std::to_string(places.size()) + " entries for " +
                                std::to_string(threads) + " " + field);
}

/// The share of thread i in `all` places: place i if there are as many threads as places.
std::size_t share(unsigned i, unsigned threads, std::size_t all) {
  return std::size_t{i} * all / threads;
}

/// Returns the place on the machine of each producer, or of each consumer: the places that the
/// program has given, or places that are spread over the machine.
std::vector<std::size_t> places_of(const std::vector<unsigned>& given, unsigned threads,
                                   const topology& machine) {
  const std::size_t all = machine.places().size();
  std::vector<std::size_t> chosen;
  for (unsigned i = 0; i < threads; ++i) {
    chosen.push_back(given.empty() ? share(i, threads, all) : given[i]);
    if (chosen.back() >= all)
      throw std::invalid_argument("nopal: pool_places names place " +
                                  std::to_string(chosen.back()) + "; this machine has " +
                                  std::to_string(all));
  }
  return chosen;
}

/// Returns the consumers, the nearest to the place `from` first: the access list of a thread there.
/// \param first  the consumer that comes first among equally near ones.
std::vector<unsigned> order(const topology& machine, std::size_t from,
                            const std::vector<std::size_t>& consumers, std::size_t first) {
  std::vector<std::pair<std::size_t, unsigned>> by_distance;
  for (unsigned c = 0; c < consumers.size(); ++c) {
    const std::size_t turn = (c + consumers.size() - first) % consumers.size();
    by_distance.emplace_back(machine.distance(from, consumers[c]) * consumers.size() + turn, c);
  }
  std::ranges::sort(by_distance);
  std::vector<unsigned> list;
  for (const auto& entry : by_distance) list.push_back(entry.second);
  return list;
}

}  // namespace

pool_options checked(pool_options o) {
  check("producers", o.producers, most_handles);
  check("consumers", o.consumers, most_handles);
  check("chunk", o.chunk, most_elements);
  check_places("producers", o.places.producers, o.producers);
  check_places("consumers", o.places.consumers, o.consumers);
  return o;
}

access_lists make_access_lists(const pool_options& o) {
  const topology machine(o.places.machine);
  const std::vector<std::size_t> consumers = places_of(o.places.consumers, o.consumers, machine);
  const std::vector<std::size_t> producers = places_of(o.places.producers, o.producers, machine);
  access_lists lists;
  for (unsigned p = 0; p < o.producers; ++p)
    lists.of_producer.push_back(
        order(machine, producers[p], consumers, share(p, o.producers, o.consumers)));
  for (unsigned c = 0; c < o.consumers; ++c) {
    std::vector<unsigned> list = order(machine, consumers[c], consumers, c);
    std::rotate(list.begin(), std::ranges::find(list, c), std::ranges::find(list, c) + 1);
    lists.of_consumer.push_back(std::move(list));
  }
  return lists;
}

}  // namespace nopal::detail
