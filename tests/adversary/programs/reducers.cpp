// SPDX-License-Identifier: Apache-2.0
// Reducers: whatever is stolen, and in whatever order strands end, the result is that of the serial
// program.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "support/reducer_tree.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

using numbers = nopal::reducer<nopal::monoid::vector<unsigned>>;

void write(numbers& all, unsigned i) {
  preempt();
  all->push_back(opaque(i));
  preempt();
}
bool are_ascending(const std::vector<unsigned>& v, unsigned n) {
  std::vector<unsigned> expected(n);
  std::iota(expected.begin(), expected.end(), 0U);
  return v == expected;
}

NOPAL_FORKS void loop(numbers& all, unsigned from, unsigned n) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < n; ++i) {
    frame.fork(write, std::ref(all), from + 2 * i);
    write(all, from + 2 * i + 1);
  }
}

/// Only every fourth child uses the reducer.
NOPAL_FORKS void loop_with_gaps(numbers& all, unsigned n) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i < n; ++i) {
    if (i % 4 == 0)
      frame.fork(write, std::ref(all), i / 4);
    else
      frame.fork(preempt);
  }
}

void closures(numbers& all, unsigned from, unsigned n) {
  if (n == 1) return write(all, from);
  nopal::parallel_invoke([&all, from, n] { closures(all, from, n / 2); },
                         [&all, from, n] { closures(all, from + n / 2, n - n / 2); });
}

nopal::task<> tasks(numbers& all, unsigned from, unsigned n) {
  if (n < 3) {
    for (unsigned i = 0; i < n; ++i) write(all, from + i);
    co_return;
  }
  co_await nopal::fork(tasks, all, from, n / 3);
  co_await nopal::fork(tasks, all, from + n / 3, n / 3);
  co_await nopal::call(tasks, all, from + 2 * (n / 3), n - 2 * (n / 3));
}
nopal::task<> loop_of_tasks(numbers& all, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    co_await nopal::fork(tasks, all, 3 * i, 2);
    write(all, 3 * i + 2);
  }
}

/// Begins and ends within a strand that may be stolen itself.
unsigned local_sum(unsigned n) {
  nopal::reducer<nopal::monoid::add<unsigned>> sum(n);
  nopal::parallel_invoke([&] { sum += slowly(1U); }, [&] { sum += slowly(2U); });
  return sum.get_value();
}

void many_reducers() {
  std::array<nopal::reducer<nopal::monoid::string>, 30> all;
  nopal::parallel_invoke(
      [&] {
        for (auto& r : all) *r += slowly('a');
      },
      [&] {
        for (unsigned i = 0; i < all.size(); i += 2) *all[i] += slowly('b');
      },
      [&] {
        for (auto& r : all) *r += slowly('c');
      });
  for (unsigned i = 0; i < all.size(); ++i) check(*all[i] == (i % 2 == 0 ? "abc" : "ac"));
}

/// Whatever it does with objects balances.
struct tracked_sum {
  using value_type = tracked;
  static tracked identity() { return tracked(0); }
  static void reduce(tracked& left, tracked& right) {
    left = tracked(left.value() + right.value());
  }
};
NOPAL_FORKS void throwing_loop(nopal::reducer<tracked_sum>& sum, int throws_at) {
  nopal::fork_frame frame;
  for (int i = 0; i < 12; ++i)
    frame.fork(
        [&sum, throws_at](int n) {
          *sum = tracked(sum->value() + slowly(n));
          if (n == throws_at) throw n;
        },
        i);
  frame.join();
}

}  // namespace

NOPAL_PROGRAM(reducers_in_loop) {
  numbers all;
  loop(all, 0, 20);
  check(are_ascending(*all, 40));
  loop(all, 40, 5);
  check(are_ascending(all.get_value(), 50));
}
NOPAL_PROGRAM(reducers_in_loop_with_gaps) {
  numbers all;
  loop_with_gaps(all, 60);
  check(are_ascending(*all, 15));
}
NOPAL_PROGRAM(reducers_in_closures) {
  numbers all;
  closures(all, 0, 60);
  check(are_ascending(*all, 60));
}
NOPAL_PROGRAM(reducers_in_tasks) {
  numbers all;
  nopal::wait(tasks(all, 0, 60));
  check(are_ascending(*all, 60));
  numbers others;
  nopal::wait(loop_of_tasks(others, 20));
  check(are_ascending(*others, 60));
}
NOPAL_PROGRAM(reducers_in_strands) {
  unsigned a = 0;
  unsigned b = 0;
  nopal::parallel_invoke([&] { a = local_sum(10); }, [&] { b = local_sum(20); });
  check(a == 13 && b == 23);
}
NOPAL_PROGRAM(reducers_of_large_number) { many_reducers(); }
NOPAL_PROGRAM(reducers_and_exceptions) {
  for (int throws_at = 0; throws_at < 13; ++throws_at) {
    nopal::reducer<tracked_sum> sum(100);
    try {
      throwing_loop(sum, throws_at);
      check(throws_at == 12);
    } catch (int n) {
      check(n == throws_at);
    }
    const int last = throws_at < 12 ? throws_at : 11;
    check(sum->value() == 100 + last * (last + 1) / 2);
  }
}
NOPAL_PROGRAM_OF_MANY_STACKS(reducers_in_scopes) {
  numbers all;
  write(all, 0);
  nopal::task_scope s;
  for (unsigned i = 1; i <= 10; ++i) s.spawn([&all, i] { closures(all, 10 * i, 5); });
  s.join();
  const std::vector<unsigned>& v = *all;
  check(v.size() == 51 && v[0] == 0);
  for (unsigned i = 1; i < 51; ++i) check(v[i] % 10 == (i - 1) % 5);
  check(std::accumulate(v.begin(), v.end(), 0U) == 5 * 550 + 10 * 10);
}
NOPAL_PROGRAM_OF_MANY_STACKS(reducers_in_random_trees) {
  for (std::uint64_t seed = opaque(1U); seed <= 12; ++seed) {
    log_reducer all;
    run_log_tree(all, 2, seed, 4, 0);
    check(*all == serial_log(seed, 4, 0));
  }
}
NOPAL_PROGRAM_OF_MANY_STACKS(reducers_in_random_trees_that_throw) {
  for (std::uint64_t seed = opaque(101U); seed <= 112; ++seed) {
    log_reducer all;
    run_log_tree(all, 2, seed, 4, 10);
    check(*all == serial_log(seed, 4, 10));
  }
}
