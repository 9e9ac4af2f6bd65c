// SPDX-License-Identifier: Apache-2.0
// Rows: three closures and more, which share one join.
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

template <class F, std::size_t... I>
decltype(auto) invoke_row(F f, std::index_sequence<I...>) {
  return nopal::parallel_invoke([f] { return f(I); }...);
}

/// Calls f(0) to f(N - 1), in parallel.
template <std::size_t N, class F>
decltype(auto) row_of(F f) {
  return invoke_row(f, std::make_index_sequence<N>());
}

template <std::size_t N>
void each_runs_once() {
  std::array<int, N> runs{};
  const tracked outer(7);
  row_of<N>([&](std::size_t i) {
    const tracked local(static_cast<int>(i));
    runs[i] += slowly(local.value() + 1);
  });
  for (std::size_t i = 0; i < N; ++i) check(runs[i] == static_cast<int>(i) + 1);
  check(outer.value() == 7);
}

/// An exception that is counted, so that one which is dropped and not destroyed is found.
struct thrown_by {
  tracked piece;
};

/// Piece i throws if bit i of `throwing` is set.
template <std::size_t N>
void some_throw(unsigned throwing) {
  std::array<int, N> begun{};
  std::array<int, N> ended{};
  int caught = -1;
  try {
    row_of<N>([&](std::size_t i) {
      const tracked local(static_cast<int>(i));
      ++begun[i];
      preempt();
      if ((throwing >> i & 1) != 0) throw thrown_by{local};
      ended[i] += slowly(1);
    });
  } catch (const thrown_by& thrown) {
    caught = thrown.piece.value();
  }
  int first = 0;
  while (first < static_cast<int>(N) && (throwing >> first & 1) == 0) ++first;
  check(caught == (first < static_cast<int>(N) ? first : -1));
  for (std::size_t i = 0; i < N; ++i) {
    check(begun[i] <= 1);
    if (static_cast<int>(i) <= first) check(begun[i] == 1);
    check(ended[i] == ((throwing >> i & 1) != 0 ? 0 : begun[i]));
  }
  check(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr);
}

template <std::size_t N>
void throws_within() {
  some_throw<N>(0);
  some_throw<N>(1U << opaque(N - 1));
  some_throw<N>(0b110);
  some_throw<N>(opaque(1U << N) - 1);
  for (unsigned i = 0; i < N; i += 2) some_throw<N>((1U << i) | (1U << (N - 1)));
}

/// A row in each piece of a row, whose thieves may be those of the outer one.
unsigned nested(unsigned depth) {
  if (depth == 0) return slowly(1U);
  std::array<unsigned, 4> sums{};
  row_of<4>([&](std::size_t i) { sums[i] = nested(i % 2 == 0 ? depth - 1 : 0); });
  return sums[0] + sums[1] + sums[2] + sums[3];
}

/// The exception of an inner row ends a piece of the outer one.
void nested_throws(int bad) {
  int caught = -1;
  try {
    row_of<3>([bad](std::size_t i) {
      row_of<3>([=](std::size_t j) {
        preempt();
        const int n = static_cast<int>(3 * i + j);
        if (n == bad || n == 8) throw n;
      });
    });
  } catch (int thrown) {
    caught = thrown;
  }
  check(caught == bad);
}

}  // namespace

NOPAL_PROGRAM(rows_return) {
  each_runs_once<3>();
  each_runs_once<4>();
  each_runs_once<5>();
  each_runs_once<6>();
  each_runs_once<7>();
  each_runs_once<8>();
}

NOPAL_PROGRAM(rows_throw) {
  throws_within<3>();
  throws_within<5>();
  throws_within<8>();
}

NOPAL_PROGRAM(rows_nested) { check(nested(opaque(3U)) == 22); }

NOPAL_PROGRAM(rows_nested_throw) {
  for (int bad = 0; bad < 9; ++bad) nested_throws(bad);
}

// Results are in the places of their closures, and those that exceptions drop are destroyed.
NOPAL_PROGRAM(rows_results) {
  std::apply(
      [](const auto&... result) {
        int n = 0;
        (check(result.value() == n++), ...);
      },
      row_of<6>([](std::size_t i) { return tracked(slowly(static_cast<int>(i))); }));
  try {
    row_of<6>([](std::size_t i) {
      tracked result(slowly(static_cast<int>(i)));
      if (i == 4) throw 4;
      return result;
    });
    check(false);
  } catch (int thrown) {
    check(thrown == 4);
  }
}

// The views of a row's thieves are in the order of its pieces.
NOPAL_PROGRAM(rows_reduce) {
  nopal::reducer<nopal::monoid::string> all;
  row_of<8>([&](std::size_t i) { *all += slowly(static_cast<char>('a' + i)); });
  check(*all == "abcdefgh");
}

// What the pieces before it and the exception's own have added is there, as in the serial program.
NOPAL_PROGRAM(rows_reduce_and_throw) {
  nopal::reducer<nopal::monoid::string> all;
  try {
    row_of<8>([&](std::size_t i) {
      *all += slowly(static_cast<char>('a' + i));
      if (i == 5) throw 5;
    });
    check(false);
  } catch (int thrown) {
    check(thrown == 5);
  }
  check(*all == "abcdef");
}
