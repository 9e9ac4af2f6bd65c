// SPDX-License-Identifier: Apache-2.0
// Random orders and samples that can be had again: they depend on a seed, and not on the number of
// workers. What a function that runs on many workers draws must depend on the element alone, so
// that there is no generator that all of them share.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nopal/algorithm/filter.hpp>
#include <nopal/algorithm/shuffle.hpp>
#include <nopal/nopal.hpp>
#include <numeric>
#include <vector>

namespace {

using numbers = std::vector<std::uint32_t>;

numbers shuffled(numbers n, std::uint64_t seed) {
  nopal::shuffle(n, seed);
  return n;
}

/// Returns a random number for an index, by splitmix64.
std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Returns about one number of a hundred, in their order.
numbers sample(const numbers& n, std::uint64_t seed) {
  return nopal::filter(n, [seed](std::uint32_t i) { return drawn(seed, i) % 100 == 0; });
}

/// Calls f by different numbers of workers, and says whether it returns `expected` each time.
template <class F>
bool always(const numbers& expected, F f) {
  return std::ranges::all_of(std::vector{1U, 2U, 5U}, [&](unsigned workers) {
    nopal::options o = nopal::options::from_environment();
    o.workers = workers;
    nopal::runtime runtime(o);
    return runtime.run(f) == expected;
  });
}

}  // namespace

int main() {
  numbers all(200'000);
  std::iota(all.begin(), all.end(), 0U);

  const numbers order = shuffled(all, 42);
  numbers sorted = order;
  std::ranges::sort(sorted);
  const bool permutation = sorted == all;
  const bool random = order != all && order != shuffled(all, 43);
  const bool same_order = always(order, [&] { return shuffled(all, 42); });

  const numbers some = sample(all, 42);
  const bool fair = some.size() > 1800 && some.size() < 2200;
  const bool same_sample = always(some, [&] { return sample(all, 42); });

  // A sample of a size that is known: the first of a random order.
  const numbers hand(order.begin(), order.begin() + 5);
  for (const std::uint32_t card : hand) std::printf("%u ", card);
  std::printf("and %zu others\n", some.size());
  return permutation && random && same_order && fair && same_sample ? 0 : 1;
}
