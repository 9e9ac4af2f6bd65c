// SPDX-License-Identifier: Apache-2.0
// Mutexes, channels and selects with delays at every step, while limits end waits at any moment.
// Nobody may wait for ever, and nothing may be lost or had twice.
#include "nopal/sync.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/random_tree.hpp"
#include "support/sync_run.hpp"

namespace {

using namespace nopal_test;

// A counter under a mutex.

struct guarded_counter {
  nopal::mutex m;
  std::uint64_t value = 0;

  /// Precondition: the caller has the mutex. Unlocks it.
  void count(random_numbers& random) {
    const std::uint64_t before = value;
    pass_time(random);
    if (random.one_in(16)) nopal::parallel_invoke([] {}, [] {});
    value = before + 1;
    m.unlock();
  }
};

constexpr unsigned locks = 40;

/// Returns how often it has counted.
std::uint64_t count_often(guarded_counter& c, std::uint64_t seed) {
  random_numbers random(seed);
  std::uint64_t n = 0;
  for (unsigned i = 0; i < locks; ++i) {
    std::error_code error;
    if (random.one_in(4))
      c.m.lock();
    else if (random.one_in(4))
      error = c.m.try_lock() ? std::error_code() : std::make_error_code(std::errc::timed_out);
    else
      c.m.lock(error, some_limits(random));
    if (error) {
      EXPECT_TRUE(is_limit(error)) << error;
      continue;
    }
    c.count(random);
    ++n;
  }
  return n;
}

nopal::task<std::uint64_t> count_often_as_task(guarded_counter& c, std::uint64_t seed) {
  random_numbers random(seed);
  std::uint64_t n = 0;
  for (unsigned i = 0; i < locks; ++i) {
    std::error_code error;
    if (random.one_in(4))
      co_await c.m.lock();
    else
      co_await c.m.lock(error, some_limits(random));
    if (error) {
      EXPECT_TRUE(is_limit(error)) << error;
      continue;
    }
    c.count(random);
    ++n;
  }
  co_return n;
}

TEST(SyncStress, CountsUnderAMutexWithDeadlines) {
  constexpr unsigned strands = 8, threads = 2;
  run_sync(4, "strands and threads at a mutex", 310000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(40); ++i, seed += 100) {
      auto c = std::make_unique<guarded_counter>();
      std::array<std::uint64_t, strands + threads> counted{};
      std::array<std::thread, threads> outside;
      for (unsigned t = 0; t < threads; ++t)
        outside[t] =
            std::thread([&, t] { counted[strands + t] = count_often(*c, seed + strands + t); });
      in_strands(strands, [&](unsigned s) {
        counted[s] =
            s % 2 == 0 ? count_often(*c, seed + s) : nopal::wait(count_often_as_task(*c, seed + s));
      });
      for (std::thread& t : outside) t.join();
      ASSERT_TRUE(c->m.try_lock());
      ASSERT_EQ(c->value, std::accumulate(counted.begin(), counted.end(), std::uint64_t{0}));
      c->m.unlock();
    }
  });
}

// A mutex that is held across forks and joins of a tree.

struct guarded_trees {
  nopal::mutex m;
  std::uint64_t nodes = 0;
  unsigned inside = 0;

  /// Precondition: the caller has the mutex.
  void grow(std::uint64_t seed) {
    const tree_shape shape{.depth = 3, .most_children = 3};
    EXPECT_EQ(inside++, 0U);
    EXPECT_EQ(run_tree(seed, shape.depth, shape), run_tree_serially(seed, shape.depth, shape));
    EXPECT_EQ(--inside, 0U);
    ++nodes;
  }
};

nopal::task<> trees_as_task(guarded_trees& g, unsigned depth, std::uint64_t seed);

/// Each node of 2^(depth + 1) - 1 holds the mutex while a tree grows.
void trees(guarded_trees& g, unsigned depth, std::uint64_t seed) {
  random_numbers random(seed);
  const std::uint64_t left = random.next(), right = random.next(), own = random.next();
  if (random.one_in(3)) return nopal::wait(trees_as_task(g, depth, seed));
  {
    const std::lock_guard held(g.m);
    g.grow(own);
  }
  if (depth == 0) return;
  nopal::parallel_invoke([&] { trees(g, depth - 1, left); }, [&] { trees(g, depth - 1, right); });
}

nopal::task<> trees_as_task(guarded_trees& g, unsigned depth, std::uint64_t seed) {
  random_numbers random(seed);
  const std::uint64_t left = random.next(), right = random.next(), own = random.next();
  co_await g.m.lock();
  g.grow(own);
  g.m.unlock();
  if (depth == 0) co_return;
  co_await nopal::fork(trees_as_task, g, depth - 1, left);
  trees(g, depth - 1, right);
  co_await nopal::join();
}

TEST(SyncStress, HoldsAMutexAcrossForksAndJoins) {
  run_sync(8, "trees under a mutex", 320000, [](std::uint64_t seed) {
    constexpr unsigned depth = 5;
    for (unsigned i = 0; i < rounds_of(40); ++i) {
      guarded_trees g;
      trees(g, depth, seed + i);
      ASSERT_EQ(g.nodes, (2U << depth) - 1);
    }
  });
}

// Elements on their way through a channel.

struct parcel {
  unsigned sender;
  unsigned number;
};
using element = std::unique_ptr<parcel>;  // so that a lost one is a leak

struct traffic {
  static constexpr unsigned senders = 6, receivers = 6, each = 40;

  nopal::channel<element> c;
  std::array<std::vector<parcel>, receivers> received;

  explicit traffic(std::size_t capacity) : c(capacity) {}

  /// Whether the whole is over.
  bool note(unsigned receiver, const std::optional<element>& e, const std::error_code& error) {
    if (error) {
      EXPECT_TRUE(is_limit(error)) << error;
      EXPECT_FALSE(e);
      return false;
    }
    if (!e) return true;
    received[receiver].push_back(**e);
    return false;
  }

  void check() const {
    std::array<std::array<unsigned, each>, senders> times{};
    for (const std::vector<parcel>& of_one : received) {
      std::array<unsigned, senders> next{};
      for (const parcel& p : of_one) {
        ++times[p.sender][p.number];
        // What one sends comes in order, and so does what one receives of that.
        EXPECT_GE(p.number, std::exchange(next[p.sender], p.number + 1));
      }
    }
    for (const auto& of_one : times)
      for (const unsigned n : of_one) EXPECT_EQ(n, 1U);
  }
};

void send_all(traffic& t, unsigned sender, std::uint64_t seed) {
  random_numbers random(seed);
  for (unsigned i = 0; i < traffic::each; ++i) {
    auto e = std::make_unique<parcel>(sender, i);
    for (bool sent = false; !sent;) {
      std::error_code error;
      sent = t.c.send(std::move(e), error, some_limits(random));
      EXPECT_NE(sent, is_limit(error));
      EXPECT_NE(sent, e != nullptr);
    }
  }
}

nopal::task<> send_all_as_task(traffic& t, unsigned sender, std::uint64_t seed) {
  random_numbers random(seed);
  for (unsigned i = 0; i < traffic::each; ++i) {
    auto e = std::make_unique<parcel>(sender, i);
    for (bool sent = false; !sent;) {
      std::error_code error;
      sent = co_await t.c.send(std::move(e), error, some_limits(random));
      EXPECT_NE(sent, is_limit(error));
      EXPECT_NE(sent, e != nullptr);
    }
  }
}

void receive_all(traffic& t, unsigned receiver, std::uint64_t seed) {
  random_numbers random(seed);
  for (bool over = false; !over;) {
    std::error_code error;
    const std::optional<element> e = t.c.receive(error, some_limits(random));
    over = t.note(receiver, e, error);
  }
}

nopal::task<> receive_all_as_task(traffic& t, unsigned receiver, std::uint64_t seed) {
  random_numbers random(seed);
  for (bool over = false; !over;) {
    std::error_code error;
    const std::optional<element> e = co_await t.c.receive(error, some_limits(random));
    over = t.note(receiver, e, error);
  }
}

TEST(SyncStress, NoElementOfAChannelIsLostOrReceivedTwice) {
  run_sync(4, "a channel", 330000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(30); ++i, seed += 100)
      for (const std::size_t capacity : {0U, 1U, 3U}) {
        auto t = std::make_unique<traffic>(capacity);
        std::thread outside([&] { receive_all(*t, 0, seed); });
        nopal::parallel_invoke(
            [&] {
              in_strands(traffic::senders, [&](unsigned s) {
                s % 2 == 0 ? send_all(*t, s, seed + s)
                           : nopal::wait(send_all_as_task(*t, s, seed + s));
              });
              t->c.close();
            },
            [&] {
              in_strands(traffic::receivers, [&](unsigned r) {
                if (r == 0) return;
                r % 2 == 0 ? receive_all(*t, r, seed + 50 + r)
                           : nopal::wait(receive_all_as_task(*t, r, seed + 50 + r));
              });
            });
        outside.join();
        t->check();
        if (testing::Test::HasFailure()) return;
      }
  });
}

// Selects that face each other: each of one side sends on one channel or receives on the other,
// and each of the other side does the reverse. So each select meets one of the other side.

struct meeting {
  static constexpr unsigned of_a_side = 3, each = 30;

  std::array<nopal::channel<unsigned>, 2> c;
  std::array<std::array<std::uint64_t, 2>, 2 * of_a_side> sent{}, received{};

  /// Returns whether peer `p` has met another one.
  bool note(unsigned p, int which, unsigned value, const std::optional<unsigned>& got) {
    const unsigned side = p % 2;
    if (which == 2) return false;
    if (which == 0)
      sent[p][side] += value;
    else
      received[p][1 - side] += got.value_or(0);
    EXPECT_EQ(which == 1, got.has_value());
    return true;
  }
  void check() const {
    std::array<std::uint64_t, 2> balance{};
    for (unsigned p = 0; p < 2 * of_a_side; ++p)
      for (unsigned i = 0; i < 2; ++i) balance[i] += sent[p][i] - received[p][i];
    EXPECT_EQ(balance[0], 0U);
    EXPECT_EQ(balance[1], 0U);
  }
};

void meet_often(meeting& m, unsigned p, std::uint64_t seed) {
  random_numbers random(seed);
  for (unsigned n = 0; n < meeting::each;) {
    std::optional<unsigned> got;
    const unsigned value = 1 + random.below(1000);
    const auto sending = [&] { return m.c[p % 2].sending(value); };
    const auto receiving = [&] { return m.c[1 - p % 2].receiving(got); };
    int which = 0;
    if (random.one_in(2))
      which = nopal::select(sending(), receiving());
    else
      which = nopal::select(sending(), receiving(), nopal::after(moment_below(50, random)));
    if (m.note(p, which, value, got)) ++n;
  }
}

nopal::task<> meet_often_as_task(meeting& m, unsigned p, std::uint64_t seed) {
  random_numbers random(seed);
  for (unsigned n = 0; n < meeting::each;) {
    std::optional<unsigned> got;
    const unsigned value = 1 + random.below(1000);
    int which = 0;
    if (random.one_in(2))
      which = co_await nopal::select(m.c[p % 2].sending(value), m.c[1 - p % 2].receiving(got));
    else
      which = co_await nopal::select(m.c[p % 2].sending(value), m.c[1 - p % 2].receiving(got),
                                     nopal::after(moment_below(50, random)));
    if (m.note(p, which, value, got)) ++n;
  }
}

TEST(SyncStress, SelectsThatFaceEachOtherMeet) {
  run_sync(4, "selects that face each other", 340000, [](std::uint64_t seed) {
    for (unsigned i = 0; i < rounds_of(80); ++i, seed += 100) {
      auto m = std::make_unique<meeting>();
      std::thread outside([&] { meet_often(*m, 0, seed); });
      in_strands(2 * meeting::of_a_side - 1, [&](unsigned s) {
        const unsigned p = s + 1;
        p < meeting::of_a_side ? meet_often(*m, p, seed + p)
                               : nopal::wait(meet_often_as_task(*m, p, seed + p));
      });
      outside.join();
      m->check();
      if (testing::Test::HasFailure()) return;
    }
  });
}

}  // namespace
