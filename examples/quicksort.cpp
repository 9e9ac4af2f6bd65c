// SPDX-License-Identifier: Apache-2.0
// Sorts random numbers. Where an ordinary quicksort calls itself twice, this one forks. Usage:
// quicksort [count]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nopal/nopal.hpp>
#include <random>
#include <vector>

template <class Iterator>
void quicksort(Iterator begin, Iterator end) {
  // Short ranges are not worth a fork. A fork costs little, but not nothing.
  if (end - begin <= 512) {
    std::sort(begin, end);
    return;
  }
  const auto pivot = *(begin + (end - begin) / 2);
  const auto less = std::partition(begin, end, [&](const auto& x) { return x < pivot; });
  const auto greater = std::partition(less, end, [&](const auto& x) { return !(pivot < x); });
  nopal::parallel_invoke([&] { quicksort(begin, less); }, [&] { quicksort(greater, end); });
}

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 1'000'000);
  std::mt19937 random(1);
  std::vector<unsigned> numbers(count);
  std::ranges::generate(numbers, random);

  nopal::run([&] { quicksort(numbers.begin(), numbers.end()); });

  const bool sorted = std::ranges::is_sorted(numbers);
  std::cout << count << " numbers " << (sorted ? "sorted" : "NOT sorted") << '\n';
  return sorted ? 0 : 1;
}
