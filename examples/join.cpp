// SPDX-License-Identifier: Apache-2.0
// The rows of two tables that have the same key, each with each. One table is sorted by the key.
// lower_bounds and upper_bounds find the partners of all rows of the other, and a scan of their
// numbers says where each row writes what it adds to the result.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/algorithm/lower_bounds.hpp>
#include <nopal/algorithm/sort.hpp>
#include <nopal/nopal.hpp>
#include <random>
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
  std::vector<std::size_t> first(customers.size()), last(customers.size()), end(customers.size());
  nopal::lower_bounds(orders, customers, first.begin(), {}, &order::customer, &customer::id);
  nopal::upper_bounds(orders, customers, last.begin(), {}, &order::customer, &customer::id);
  nopal::map(last, first, end.begin(), std::minus{});
  nopal::scan(end, end.begin(), std::plus{});
  std::vector<payment> result(end.empty() ? 0 : end.back());
  nopal::for_each(0, customers.size(), [&](std::size_t i) {
    std::size_t at = end[i];
    for (std::size_t o = last[i]; o != first[i]; --o)
      result[--at] = {customers[i].city, orders[o - 1].price};
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
