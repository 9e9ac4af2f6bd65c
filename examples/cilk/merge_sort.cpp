// SPDX-License-Identifier: Apache-2.0
// A sort that spawns in a scope, and an exception that comes out of a spawned call.
#include <cilk/cilk.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using numbers = std::vector<int>;

void sort(numbers::iterator first, numbers::iterator last) {
  if (std::any_of(first, std::min(last, first + 1), [](int n) { return n < 0; }))
    throw std::invalid_argument("a number is negative");
  if (last - first < 500) {
    std::sort(first, last);
    return;
  }
  const auto middle = first + (last - first) / 2;
  cilk_scope {  // both halves are sorted at its end
    cilk_spawn sort(first, middle);
    sort(middle, last);
  }
  numbers merged(static_cast<std::size_t>(last - first));
  std::merge(first, middle, middle, last, merged.begin());
  std::copy(merged.begin(), merged.end(), first);
}

}  // namespace

int main() {
  numbers v(200000);
  std::mt19937 random(1);
  for (int& n : v) n = static_cast<int>(random() % 1000000);
  sort(v.begin(), v.end());
  bool right = std::is_sorted(v.begin(), v.end());
  std::cout << (right ? "sorted\n" : "not sorted\n");

  v[v.size() / 2] = -1;
  try {
    sort(v.begin(), v.end());
    right = false;
  } catch (const std::invalid_argument& e) {
    std::cout << e.what() << '\n';
  }
  return right ? 0 : 1;
}
