// SPDX-License-Identifier: Apache-2.0
// Walks over all positions of a puzzle and collects the solutions, without a lock, in the order in
// which the serial program finds them. Usage: reducers [n]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nopal/nopal.hpp>
#include <string>
#include <vector>

// What is found among sequences of brackets. Each sequence that is balanced is a solution.
struct found {
  nopal::reducer<nopal::monoid::vector<std::string>> solutions;
  nopal::reducer<nopal::monoid::add<long>> positions;
};

// The position in which most brackets are open, the first of several. The operation is associative
// and not commutative: of two that are equal the left one stays.
struct deepest {
  struct value_type {
    int open = -1;
    std::string position;
  };
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type& right) {
    if (right.open > left.open) left = std::move(right);
  }
};

void walk(const std::string& position, int open, int left, found& all,
          nopal::reducer<deepest>& most) {
  ++all.positions;
  most.update(deepest::value_type{open, position});
  if (left == 0) {
    if (open == 0) all.solutions->push_back(position);
    return;
  }
  nopal::parallel_invoke([&] { walk(position + '(', open + 1, left - 1, all, most); },
                         [&] {
                           if (open > 0) walk(position + ')', open - 1, left - 1, all, most);
                         });
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 8;
  found all;
  nopal::reducer<deepest> most;
  nopal::run([&] { walk("", 0, 2 * n, all, most); });

  const std::vector<std::string>& solutions = *all.solutions;
  std::cout << *all.positions << " positions, " << solutions.size() << " solutions, from "
            << solutions.front() << " to " << solutions.back() << "; the deepest is "
            << most->position << '\n';
  // There must be as many solutions as the n-th Catalan number says, in ascending order: '(' is
  // less than ')'.
  long catalan = 1;
  for (int i = 0; i < n; ++i) catalan = catalan * 2 * (2 * i + 1) / (i + 2);
  const bool right = std::ssize(solutions) == catalan && std::ranges::is_sorted(solutions) &&
                     most->position == std::string(static_cast<std::size_t>(2 * n), '(');
  return right ? 0 : 1;
}
