// SPDX-License-Identifier: Apache-2.0
// Producers and consumers with a pool between them: two threads put numbers, two others get them
// and add up the primes. A pool needs no runtime. Usage: pool [numbers]
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <nopal/pool.hpp>
#include <thread>
#include <vector>

bool is_prime(std::uint64_t n) {
  if (n < 2) return false;
  for (std::uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

int main(int argc, char** argv) {
  const auto count = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 100'000);
  nopal::pool<std::uint64_t> pool({.producers = 2, .consumers = 2});

  // Each producer puts every other number. A handle belongs to one thread at a time.
  auto produce = [&](std::uint64_t first) {
    auto in = pool.producer();
    for (std::uint64_t n = first; n < count; n += 2) in.put(n);
  };
  // all() waits, asleep, while the pool is empty, and ends when it is closed and empty.
  std::uint64_t sums[2] = {0, 0};
  auto consume = [&](std::uint64_t& sum) {
    auto out = pool.consumer();
    for (const std::uint64_t n : out.all())
      if (is_prime(n)) sum += n;
  };

  {
    std::jthread consumer_0(consume, std::ref(sums[0]));
    std::jthread consumer_1(consume, std::ref(sums[1]));
    {
      std::jthread producer_0(produce, 0);
      std::jthread producer_1(produce, 1);
    }  // all numbers have been put
    pool.close();
  }  // all numbers have been got

  std::uint64_t expected = 0;
  for (std::uint64_t n = 0; n < count; ++n)
    if (is_prime(n)) expected += n;
  const bool right = sums[0] + sums[1] == expected;
  std::cout << "the primes below " << count << " add up to " << sums[0] + sums[1]
            << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
