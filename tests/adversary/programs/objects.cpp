// SPDX-License-Identifier: Apache-2.0
// Objects with constructors and destructors: main.cpp checks that the two balance, and that none
// was moved as bytes.
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

int value_of(const tracked& t) { return slowly(t.value()); }
int value_taken(tracked t) { return slowly(t.value()); }
tracked doubled(tracked t) { return tracked(slowly(2 * t.value())); }

NOPAL_FORKS void as_arguments() {
  std::array<int, 6> values;
  std::array<tracked, 6> results;
  const tracked outer(40);
  nopal::fork_frame frame;
  for (int i = 0; i < 6; ++i) {
    const tracked here(i);
    frame.fork(&values[static_cast<std::size_t>(i)], value_taken, here);
    frame.fork(&results[static_cast<std::size_t>(i)], doubled, tracked(i));
    check(here.value() == i && outer.value() == 40);
  }
  frame.join();
  for (int i = 0; i < 6; ++i) {
    check(values[static_cast<std::size_t>(i)] == i);
    check(results[static_cast<std::size_t>(i)].value() == 2 * i);
  }
}

NOPAL_FORKS void in_captures() {
  std::array<int, 6> values{};
  nopal::fork_frame frame;
  for (int i = 0; i < 6; ++i)
    frame.fork([&values, i, t = tracked(i + 1), s = std::make_shared<tracked>(i)] {
      values[static_cast<std::size_t>(i)] = slowly(t.value() + s->value());
    });
  frame.join();
  for (int i = 0; i < 6; ++i) check(values[static_cast<std::size_t>(i)] == 2 * i + 1);
}

// Objects are destroyed at every way out of the loop's body, some of them on another stack than
// they were made on.
NOPAL_FORKS void in_the_body_of_a_loop() {
  std::vector<tracked> seen;
  std::array<int, 12> values{};
  nopal::fork_frame frame;
  for (int i = 0;; ++i) {
    const tracked here(i);
    auto owned = std::make_unique<tracked>(i);
    if (i % 3 == 1) continue;
    frame.fork(&values[static_cast<std::size_t>(i)], value_of, tracked(i));
    seen.push_back(*owned);
    if (i == 11) break;
    check(here.value() == owned->value());
  }
  frame.join();
  check(seen.size() == 8);
  for (int i = 0; i < 12; ++i) check(values[static_cast<std::size_t>(i)] == (i % 3 == 1 ? 0 : i));
}

NOPAL_FORKS std::string tree(unsigned n) {
  if (n == 0) return std::string(20, '.');
  std::string left;
  std::vector<tracked> some(n, tracked(static_cast<int>(n)));
  nopal::fork_frame frame;
  frame.fork(&left, tree, n - 1);
  std::string right = tree(n - 1);
  frame.join();
  for (const tracked& t : some) check(t.value() == static_cast<int>(n));
  return left + std::to_string(n) + right;
}

void by_closures(int n) {
  if (n == 0) return;
  const tracked outer(n);
  auto shared = std::make_shared<tracked>(n);
  std::vector<std::string> words;
  std::string other;
  nopal::parallel_invoke(
      [&, t = tracked(n + 1)] {
        by_closures(n - 1);
        words.push_back(std::to_string(slowly(t.value())));
      },
      [&other, shared, n] {
        by_closures(n - 1);
        other = std::string(static_cast<std::size_t>(shared->value()), 'x');
        check(shared->value() == n);
      });
  check(words.size() == 1 && words[0] == std::to_string(n + 1));
  check(other.size() == static_cast<std::size_t>(n));
  check(outer.value() == n);
}

}  // namespace

NOPAL_PROGRAM(objects_as_arguments) { as_arguments(); }
NOPAL_PROGRAM(objects_in_captures) { in_captures(); }
NOPAL_PROGRAM(objects_in_the_body_of_a_loop) { in_the_body_of_a_loop(); }
NOPAL_PROGRAM(objects_tree_of_strings) { check(tree(opaque(4U)).size() == 16 * 20 + 15); }
NOPAL_PROGRAM(objects_by_closures) { by_closures(opaque(4)); }
