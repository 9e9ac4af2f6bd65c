// SPDX-License-Identifier: Apache-2.0
// The parallel algorithms on a range of readings: for_each, map, fold and scan. Usage: algorithms
// [readings]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <nopal/nopal.hpp>
#include <numeric>
#include <optional>
#include <vector>

struct reading {
  double celsius = 0;
  double hours = 0;
};

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 500'000);
  std::vector<reading> readings(count, {.celsius = 20, .hours = 0.25});

  // for_each changes each element in place. The function is called by several workers at once.
  nopal::for_each(readings, [](reading& r) { r.celsius += r.hours; });

  // map writes one result for each element through an iterator.
  std::vector<double> hours(count);
  nopal::map(readings, hours.begin(), &reading::hours);

  // The sum of one member: a projection comes last. The result is the same bit for bit however many
  // workers there are.
  const double total = nopal::fold(readings, 0.0, std::plus<>{}, &reading::hours);
  // The result is an optional if there is no first value, and it is empty for an empty range.
  const std::optional<double> warmest =
      nopal::fold(readings, [](double a, double b) { return std::max(a, b); }, &reading::celsius);

  // The time at which each reading ended: the running sums.
  std::vector<double> end_of(count);
  nopal::scan(hours, end_of.begin(), std::plus<>{});

  // Quarters of an hour are exact in binary, so sums in any order are equal.
  std::vector<double> expected(count);
  std::inclusive_scan(hours.begin(), hours.end(), expected.begin());
  const double expected_total = std::accumulate(hours.begin(), hours.end(), 0.0);
  const bool right = end_of == expected && total == expected_total &&
                     warmest == (count == 0 ? std::nullopt : std::optional(20.25));
  std::cout << count << " readings in " << total << " hours, the warmest " << warmest.value_or(NAN)
            << " degrees" << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
