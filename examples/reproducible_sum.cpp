// SPDX-License-Identifier: Apache-2.0
// A sum of floating-point numbers that is equal bit for bit for any number of workers: how a fold
// is bracketed does not depend on who runs it. The loop from left to right brackets otherwise, and
// gives another sum.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nopal/nopal.hpp>
#include <numeric>
#include <random>
#include <vector>

int main() {
  // Numbers of very different size, so that almost every addition rounds.
  std::mt19937 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(0, 59);
  std::vector<double> numbers(200'000);
  std::ranges::generate(numbers, [&] {
    const double m = mantissa(random);
    return std::ldexp(m, exponent(random));
  });

  std::vector<double> sums, last_prefixes;
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    nopal::options o = nopal::options::from_environment();
    o.workers = workers;
    nopal::runtime runtime(o);
    for (int repetition = 0; repetition < 5; ++repetition)
      runtime.run([&] {
        sums.push_back(nopal::fold(nopal::deterministic, numbers, 0.0, std::plus{}));
        std::vector<double> prefixes(numbers.size());
        nopal::scan(nopal::deterministic, numbers, prefixes.begin(), std::plus{});
        last_prefixes.push_back(prefixes.back());
      });
  }
  const auto all_equal = [](const std::vector<double>& v) {
    return std::ranges::all_of(v, [&](double x) { return x == v.front(); });
  };

  const double loop = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  std::printf("fold: %.17g\nloop: %.17g\n", sums.front(), loop);
  const bool close = std::abs(sums.front() - loop) <= std::ldexp(1.0, 59) * 1e-9;
  return all_equal(sums) && all_equal(last_prefixes) && close ? 0 : 1;
}
