// SPDX-License-Identifier: Apache-2.0
// Counts the ways to place n queens on a board so that none attacks another. Tasks are coroutines:
// this one forks a child for each column that is possible, and keeps the children's results in an
// array on its own stack. Usage: tasks [n]
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <nopal/nopal.hpp>
#include <numeric>
#include <string>

// The column of the queen in each row so far. A task keeps its parameters, so boards are passed by
// value: a reference would have to outlive the child.
using board = std::string;

bool is_safe(const board& b, int column) {
  for (std::size_t row = 0; row < b.size(); ++row) {
    const int aside = column - b[row];
    const int above = static_cast<int>(b.size() - row);
    if (aside == 0 || aside == above || aside == -above) return false;
  }
  return true;
}

nopal::task<long> queens(board b, int n) {
  if (static_cast<int>(b.size()) == n) co_return 1;
  // The array lives until the end of the coroutine, which is after the join.
  const auto found = co_await nopal::allocate<long>(static_cast<std::size_t>(n));
  std::size_t forks = 0;
  for (int column = 0; column < n; ++column)
    if (is_safe(b, column))
      co_await nopal::fork(&found[forks++], queens, b + static_cast<char>(column), n);
  co_await nopal::join();  // all results are there now
  co_return std::accumulate(&found[0], &found[0] + forks, 0L);
}

// Plain code waits for a task; its strand stops meanwhile, its worker does not.
long both(int n) {
  long smaller = 0;
  long larger = 0;
  nopal::parallel_invoke([&] { smaller = nopal::wait(queens({}, n - 1)); },
                         [&] { larger = nopal::wait(queens({}, n)); });
  return smaller + larger;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::clamp(std::atoi(argv[1]), 1, 12) : 9;
  constexpr long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};

  const long found = nopal::run(both, n);

  const bool right = found == solutions[n - 1] + solutions[n];
  std::cout << "boards of " << n - 1 << " and of " << n << " columns have " << found << " solutions"
            << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
