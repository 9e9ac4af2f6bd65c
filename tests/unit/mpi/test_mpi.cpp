// SPDX-License-Identifier: Apache-2.0
// A program of its own: each rank of a run by mpiexec makes all of these calls.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/mpi.hpp"
#include "nopal/nopal.hpp"
#include "nopal/stop.hpp"

namespace {

using namespace std::chrono_literals;

nopal::mpi::world* all = nullptr;

/// A node of a tree whose shape depends on its number.
struct numbered {
  std::uint64_t number = 1;
  int depth = 0;
  template <class Archive>
  void serialize(Archive& a) {
    a(number, depth);
  }
};

std::uint64_t scrambled(std::uint64_t n) { return (n ^ n >> 31) * 0x9E3779B97F4A7C15U; }

template <class Emit>
void emit_children(const numbered& n, int depth, const Emit& emit) {
  if (n.depth == depth) return;
  const std::uint64_t children = scrambled(n.number) >> 61;  // up to 7
  for (std::uint64_t i = 0; i < children; ++i) emit(numbered{8 * n.number + i, n.depth + 1});
}

/// What fold_tree returns, by a loop.
template <class T, class Value, class Op>
T folded_tree(const numbered& n, int depth, const Value& value, const Op& op) {
  T all_of_it = value(n);
  emit_children(n, depth, [&](const numbered& c) {
    all_of_it = op(std::move(all_of_it), folded_tree<T>(c, depth, value, op));
  });
  return all_of_it;
}

TEST(Mpi, RanksAreNumbered) {
  EXPECT_GE(all->rank(), 0);
  EXPECT_LT(all->rank(), all->size());
}

TEST(Mpi, ATreeOfTexts) {
  const auto value = [](const numbered& n) { return std::to_string(n.number) + ' '; };
  const std::plus<> op;
  for (const int depth : {0, 1, 4}) {
    const auto expected = folded_tree<std::string>(numbered{}, depth, value, op);
    const auto got = all->fold_tree(
        numbered{},
        [&](const numbered& n, const auto& emit) {
          emit_children(n, depth, emit);
          return value(n);
        },
        op);
    EXPECT_EQ(got, expected) << "depth " << depth;
  }
}

TEST(Mpi, ATreeOfNumbersBitForBit) {
  const auto value = [](const numbered& n) { return 1.0 / static_cast<double>(n.number); };
  const auto expected = folded_tree<double>(numbered{}, 9, value, std::plus<>());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(all->fold_tree(
                  numbered{},
                  [&](const numbered& n, const auto& emit) {
                    emit_children(n, 9, emit);
                    return value(n);
                  },
                  std::plus<>()),
              expected);
}

TEST(Mpi, WorkMovesToAllRanks) {
  all->barrier();  // or one might come when all has been done
  const auto before = all->counts();
  const auto leaves = all->fold_tree(
      0,
      [](int depth, const auto& emit) {
        if (depth == 7) std::this_thread::sleep_for(3ms);
        for (int i = 0; depth < 7 && i < 2; ++i) emit(depth + 1);
        return depth == 7 ? 1 : 0;
      },
      std::plus<>());
  EXPECT_EQ(leaves, 128);
  const auto now = all->counts();
  if (all->size() == 1) return;
  if (all->rank() == 0) {
    EXPECT_GT(now.pieces_given, before.pieces_given);
  } else if (all->size() <= 3) {
    EXPECT_GT(now.pieces_got, before.pieces_got);
  }
}

TEST(Mpi, RangesBitForBit) {
  const auto part = [](int i) { return 1.0 / (i + 0.1); };
  for (const int n : {0, 1, 2, 1000, 100'000, 1'000'000})
    EXPECT_EQ(all->fold_range(0, n, 0.25, std::plus<>(), part),
              nopal::fold(0, n, 0.25, std::plus<>(), part))
        << n;
  const auto text = [](int i) { return std::to_string(i) + ' '; };
  EXPECT_EQ(all->fold_range(5, 3000, std::string("from "), std::plus<>(), text),
            nopal::fold(5, 3000, std::string("from "), std::plus<>(), text));
  EXPECT_EQ(all->fold_range(3, 3, 7, std::plus<>()), 7);
}

TEST(Mpi, MapsInOrder) {
  for (const std::size_t n : {0U, 1U, 5U, 1000U}) {
    std::vector<std::string> inputs;
    for (std::size_t i = 0; all->rank() == 0 && i < n; ++i) inputs.push_back(std::to_string(i));
    const auto got = all->map(inputs, [](const std::string& s) {
      std::this_thread::sleep_for(std::chrono::microseconds(s.size() * 20));
      return std::pair(s + '!', s.size());
    });
    ASSERT_EQ(got.size(), all->rank() == 0 ? n : 0);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], std::pair(inputs[i] + '!', inputs[i].size()));
  }
}

TEST(Mpi, ManyOperationsInARow) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(all->fold_range(0, i, 0, std::plus<>()), i * (i - 1) / 2);
}

/// The text of the nopal::mpi::error that f throws; empty if it throws none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const nopal::mpi::error& e) {
    return e.what();
  }
  return "";
}

TEST(Mpi, WhatARankThrowsComesToAll) {
  // Rank 0 throws what it is.
  const auto fails = [](int i) { return i == 3 ? throw std::range_error("no such number") : i; };
  const auto call = [&] { return all->fold_range(0, 10, 0, std::plus<>(), fails); };
  if (all->rank() == 0)
    EXPECT_THROW(call(), std::range_error);
  else
    EXPECT_EQ(error_of(call), "rank 0: no such number");
  // Another one is named.
  if (all->size() == 1) return;
  const int me = all->rank();
  const auto fails_elsewhere = [me](int depth, const auto& emit) {
    if (me != 0) throw std::range_error("not here");
    std::this_thread::sleep_for(100us);
    for (int i = 0; i < depth; ++i) emit(depth - 1);
    return 1;
  };
  const std::string text = error_of([&] { all->fold_tree(7, fails_elsewhere, std::plus<>()); });
  EXPECT_EQ(text.substr(0, 5), "rank ");
  EXPECT_EQ(text.substr(text.find(':')), ": not here");
  EXPECT_EQ(all->fold_range(0, 100, 0, std::plus<>()), 4950);
}

TEST(Mpi, AStopReachesAllRanks) {
  std::stop_source source;
  const auto endless = [&](int depth, const auto& emit) {
    if (all->rank() == 0 && depth == 12) source.request_stop();
    std::this_thread::sleep_for(100us);
    for (int i = 0; i < 2; ++i) emit(depth + 1);  // no end
    return 1;
  };
  const auto call = [&] { all->fold_tree(0, endless, std::plus<>()); };
  if (all->rank() == 0)
    EXPECT_THROW(nopal::with_stop(source.get_token(), call), nopal::stopped);
  else
    EXPECT_NE(error_of(call), "");
}

TEST(Mpi, SavesAreAskedForRightly) {
  EXPECT_THROW(all->save_every(0ms, "saved"), std::invalid_argument);
  EXPECT_THROW(all->save_every(-1ms, "saved"), std::invalid_argument);
  if (all->rank() != 0) return;
  EXPECT_THROW(all->save_every(1min, "/no such folder/saved"), std::system_error);
}

int twice(int x) { return 2 * x; }
std::string joined(const std::string& a, std::vector<std::string> b) {
  std::string r = a;
  for (const std::string& s : b) r += s;
  return r;
}
std::atomic<int> called{0};
void count_call() { ++called; }
int how_often_called() { return called; }
void fail() { throw std::range_error("refused"); }

TEST(Mpi, CallsOnAnyRank) {
  using nopal::mpi::function;
  for (int r = 0; r < all->size(); ++r) {
    EXPECT_EQ(all->run_on(r, function<&twice>, 21).get(), 42);
    EXPECT_EQ(all->run_on(r, function<&joined>, "a", std::vector<std::string>{"b", "c"}).get(),
              "abc");
    EXPECT_EQ(error_of([&] { all->run_on(r, function<&fail>).get(); }),
              "rank " + std::to_string(r) + ": refused");
  }
  EXPECT_THROW(all->run_on(all->size(), function<&twice>, 1), std::out_of_range);
  EXPECT_THROW(all->run_on(-1, function<&twice>, 1), std::out_of_range);
  all->run_on(0, function<&count_call>).get();
  all->barrier();
  EXPECT_EQ(all->run_on(0, function<&how_often_called>).get(), all->size());
}

TEST(Mpi, CallsWhileAnOperationRuns) {
  nopal::task_scope beside;
  std::atomic<int> sum{0};
  beside.spawn([&] {
    for (int i = 0; i < 20; ++i)
      sum += all->run_on((all->rank() + 1) % all->size(), nopal::mpi::function<&twice>, i).get();
  });
  EXPECT_EQ(all->fold_range(0, 200'000, 0L, std::plus<>(), [](int) { return 1L; }), 200'000);
  beside.join();
  EXPECT_EQ(sum, 380);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  nopal::mpi::world world(argc, argv);
  all = &world;
  if (world.rank() != 0) GTEST_FLAG_SET(brief, true);
  return RUN_ALL_TESTS();
}
