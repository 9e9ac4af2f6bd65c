// SPDX-License-Identifier: Apache-2.0
// The rows of two tables that have the same key, each with each. One table is sorted by the key; the
// other one's rows search it at the same time, count their partners, and a scan of the counts says
// where each writes its rows of the result.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/algorithm/sort.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace {

struct customer {
  unsigned id = 0;
  unsigned city = 0;
};

struct order {
  unsigned customer = 0;
  unsigned price = 0;
};

struct payment {
  unsigned city = 0;
  unsigned price = 0;

  friend auto operator<=>(const payment&, const payment&) = default;
};

std::vector<payment> join(std::vector<order> orders, const std::vector<customer>& customers) {
  nopal::sort(orders, {}, &order::customer);
  const auto orders_of = [&](const customer& c) {
    return std::ranges::equal_range(orders, c.id, {}, &order::customer);
  };
  std::vector<std::size_t> first(customers.size());
  nopal::exclusive_scan(customers, first.begin(), std::size_t{0}, std::plus{},
                        [&](const customer& c) { return std::ranges::size(orders_of(c)); });
  const std::size_t size =
      customers.empty() ? 0 : first.back() + std::ranges::size(orders_of(customers.back()));
  std::vector<payment> result(size);
  nopal::for_each(std::size_t{0}, customers.size(), [&](std::size_t i) {
    std::size_t at = first[i];
    for (const order& o : orders_of(customers[i])) result[at++] = {customers[i].city, o.price};
  });
  return result;
}

std::vector<payment> serial_join(const std::vector<order>& orders,
                                 const std::vector<customer>& customers) {
  std::unordered_multimap<unsigned, unsigned> cities;
  for (const customer& c : customers) cities.emplace(c.id, c.city);
  std::vector<payment> result;
  for (const order& o : orders)
    for (auto [at, end] = cities.equal_range(o.customer); at != end; ++at)
      result.push_back({at->second, o.price});
  return result;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<customer> customers(20'000);
  for (customer& c : customers) c = {below(30'000), below(100)};
  std::vector<order> orders(100'000);
  for (order& o : orders) o = {below(30'000), below(1000)};

  std::vector<payment> joined = join(orders, customers);
  std::vector<payment> expected = serial_join(orders, customers);
  nopal::sort(joined);
  std::ranges::sort(expected);
  std::printf("%zu orders of known customers\n", joined.size());
  return !joined.empty() && joined == expected ? 0 : 1;
}
