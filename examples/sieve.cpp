// SPDX-License-Identifier: Apache-2.0
// The sieve of Eratosthenes by segments that fit a cache: for_each crosses out the multiples in all
// segments at the same time, and filter collects what is left, in order.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nopal/algorithm/filter.hpp>
#include <nopal/nopal.hpp>
#include <vector>

namespace {

constexpr std::size_t segment = 32'768;

/// Returns the primes below `limit`, by testing each number. It is for small limits.
std::vector<std::size_t> few_primes(std::size_t limit) {
  std::vector<std::size_t> primes;
  for (std::size_t n = 2; n < limit; ++n)
    if (std::ranges::none_of(primes, [n](std::size_t p) { return n % p == 0; }))
      primes.push_back(n);
  return primes;
}

/// Returns the primes below `limit`.
std::vector<std::size_t> primes_below(std::size_t limit) {
  std::size_t root = 2;
  while (root * root < limit) ++root;
  const std::vector<std::size_t> small = few_primes(root);

  // One byte a number: neighbours in a vector<bool> cannot be written at the same time.
  std::vector<char> is_prime(limit, 1);
  const std::size_t segments = (limit + segment - 1) / segment;
  nopal::for_each(0, segments, [&](std::size_t s) {
    const std::size_t first = s * segment, last = std::min(first + segment, limit);
    for (const std::size_t p : small)
      for (std::size_t n = std::max(p * p, (first + p - 1) / p * p); n < last; n += p)
        is_prime[n] = 0;
  });
  return nopal::filter(2, limit, [&](std::size_t n) { return is_prime[n] != 0; });
}

}  // namespace

int main() {
  const std::vector<std::size_t> primes = primes_below(2'000'000);
  std::printf("%zu primes, the last one is %zu\n", primes.size(), primes.back());
  const bool all_small = primes_below(1000) == few_primes(1000);
  return primes.size() == 148'933 && primes.back() == 1'999'993 && all_small ? 0 : 1;
}
