// SPDX-License-Identifier: Apache-2.0
// A program of its own: each rank of a run by mpiexec makes all of these calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "channels.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/mpi.hpp"
#include "nopal/nopal.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::mpi::channel;
using nopal_test::all;
using nopal_test::last_rank;
using nopal_test::received;
using nopal_test::sent;

/// A rank and a number that it counts.
using counted = std::pair<int, int>;

/// Receives all elements of a channel, and returns how many have come from each rank, in order.
std::vector<int> received_in_order(channel<counted>& c) {
  std::vector<int> next(static_cast<std::size_t>(all->size()));
  for (const auto& [from, i] : c) EXPECT_EQ(i, next.at(static_cast<std::size_t>(from))++);
  return next;
}

TEST(MpiChannel, ElementsOfARankComeInOrder) {
  for (const int receiver : {0, last_rank()})
    for (const std::size_t capacity : {1U, 7U, 64U}) {
      auto c = all->channel<counted>(receiver, capacity);
      nopal::task_scope sender;
      sender.spawn([&] {
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(sent(c, {all->rank(), i}));
        c.close();
      });
      if (all->rank() == receiver) {
        for (const int n : received_in_order(c)) EXPECT_EQ(n, 200);
      }
      sender.join();
      EXPECT_FALSE(sent(c, {0, 0}));
    }
}

TEST(MpiChannel, ManyStrandsSendAndReceive) {
  auto c = all->channel<long>(0, 20);
  nopal::task_scope receivers;
  std::atomic<long> sum{0};
  std::atomic<int> number{0};
  for (int r = 0; all->rank() == 0 && r < 3; ++r)
    receivers.spawn([&] {
      for (const long v : c) {
        sum += v;
        ++number;
      }
    });
  nopal::for_each(0, 8, [&](int strand) {
    for (int i = 0; i < 25; ++i) EXPECT_TRUE(sent(c, strand * 25 + i));
  });
  c.close();
  receivers.join();
  if (all->rank() != 0) return;
  EXPECT_EQ(number, 200 * all->size());
  EXPECT_EQ(sum, 199L * 100 * all->size());
}

/// Sends as much as needs no wait, for some time, and returns how much all ranks have sent.
int sent_by_all(channel<int>& c, std::chrono::milliseconds time) {
  int number = 0;
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    while (c.try_send(number)) ++number;
    std::this_thread::sleep_for(100us);
  } while (std::chrono::steady_clock::now() < end);
  auto sums = all->channel<int>(last_rank(), 100);
  sums.send(number);
  sums.close();
  int sum = 0;
  if (all->rank() == last_rank())
    for (const int s : sums) sum += s;
  all->barrier();
  return sum;
}

TEST(MpiChannel, NoMoreThanTheCapacityIsOnItsWay) {
  for (const std::size_t capacity : {1U, 8U, 50U}) {
    auto c = all->channel<int>(0, capacity);
    const int most = std::max(static_cast<int>(capacity), all->size());
    EXPECT_EQ(c.capacity(), static_cast<std::size_t>(most));
    const int first = sent_by_all(c, 0ms);
    for (int i = 0; all->rank() == 0 && i < most / 2; ++i) EXPECT_TRUE(received(c));
    const int more = sent_by_all(c, 20ms);
    if (all->rank() == last_rank()) {
      EXPECT_EQ(first, most);
      EXPECT_LE(more, most / 2);
    }
  }
}

TEST(MpiChannel, AnElementIsALetter) {
  auto c = all->channel<int>(0, 64 * static_cast<std::size_t>(all->size()));
  all->barrier();
  const auto before = all->counts();
  const int n = 640;
  for (int i = 0; all->rank() != 0 && i < n; ++i) c.send(i);
  c.close();
  if (all->rank() != 0) {
    // With the close, some beats, and what the barrier has left over.
    EXPECT_LE(all->counts().messages - before.messages, n + 20U);
    return;
  }
  int number = 0;
  for (const int i : c) number += i >= 0 ? 1 : 0;
  const int others = all->size() - 1;
  EXPECT_EQ(number, n * others);
  EXPECT_LE(all->counts().messages - before.messages,
            static_cast<unsigned>((n / 32 + 5) * others + 5));
}

TEST(MpiChannel, LargeElements) {
  using numbers = std::vector<int>;
  auto c = all->channel<numbers>(last_rank(), 4);
  nopal::task_scope sender;
  sender.spawn([&] {
    for (int i = 0; i < 4; ++i) {
      numbers all_of_it(250'000);
      std::iota(all_of_it.begin(), all_of_it.end(), i);
      EXPECT_TRUE(sent(c, all_of_it));
    }
    c.close();
  });
  if (all->rank() == last_rank()) {
    int number = 0;
    for (const numbers& v : c) {
      ASSERT_EQ(v.size(), 250'000U);
      for (std::size_t i = 1; i < v.size(); ++i) ASSERT_EQ(v[i], v[i - 1] + 1);
      ++number;
    }
    EXPECT_EQ(number, 4 * all->size());
  }
  sender.join();
}

TEST(MpiChannel, AWorkerDoesOtherWorkWhileASenderWaits) {
  auto c = all->channel<int>(0, 1);
  auto go = all->channel<int>(0, 1);
  nopal::runtime one({.workers = 1, .caller_works = false});
  one.run([&] {
    nopal::parallel_invoke(
        [&] {
          for (int i = 0; i < 5; ++i) EXPECT_TRUE(sent(c, i));
          c.close();
        },
        [&] {
          go.send(1);  // otherwise nothing is received, and this worker has to come here
          go.close();
          int n = 0;
          if (all->rank() != 0) return;
          for (const int one_rank : go) n += one_rank;
          EXPECT_EQ(n, all->size());
          for (const int i : c) n += i;
          EXPECT_EQ(n, 11 * all->size());
        });
  });
}

nopal::task<void> send_some(channel<std::string> c, int n) {
  for (int i = 0; i < n; ++i)
    if (!co_await c.send(std::to_string(i))) co_return;
  c.close();
}
nopal::task<std::size_t> receive_all(channel<std::string> c) {
  std::size_t length = 0;
  while (const std::optional<std::string> v = co_await c.receive()) length += v->size();
  co_return length;
}

TEST(MpiChannel, InTasks) {
  auto c = all->channel<std::string>(0, 3);
  nopal::parallel_invoke([&] { nopal::wait(send_some(c, 30)); },
                         [&] {
                           if (all->rank() != 0) return;
                           const std::size_t length = nopal::wait(receive_all(c));
                           EXPECT_EQ(length, 50U * static_cast<unsigned>(all->size()));
                         });
}

TEST(MpiChannel, LettersThatComeEarlyAreKept) {
  std::this_thread::sleep_for(all->rank() == 0 ? 20ms : 0ms);
  auto c = all->channel<counted>(0, 3 * static_cast<std::size_t>(all->size()));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.try_send({all->rank(), i}));
  c.close();
  if (all->rank() != 0) return;
  for (const int n : received_in_order(c)) EXPECT_EQ(n, 3);
}

TEST(MpiChannel, WhileATreeIsFolded) {
  auto c = all->channel<counted>(last_rank(), 10);
  nopal::task_scope beside;
  beside.spawn([&] {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(sent(c, {all->rank(), i}));
    c.close();
  });
  if (all->rank() == last_rank())
    beside.spawn([&] {
      for (const int n : received_in_order(c)) EXPECT_EQ(n, 100);
    });
  const int leaves = all->fold_tree(
      0,
      [](int depth, const auto& emit) {
        for (int i = 0; depth < 12 && i < 2; ++i) emit(depth + 1);
        return depth == 12 ? 1 : 0;
      },
      std::plus<>());
  EXPECT_EQ(leaves, 4096);
  beside.join();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::optional<nopal::mpi::world> world(std::in_place, argc, argv);
  all = &*world;
  if (world->rank() != 0) GTEST_FLAG_SET(brief, true);
  const int failed = RUN_ALL_TESTS();
  return nopal_test::goes_on_when_the_world_ends(world) ? failed : 1;
}
