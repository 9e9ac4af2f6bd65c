// SPDX-License-Identifier: Apache-2.0
// Transactions of many threads and strands, with delays at each step: sums stay what they are,
// nobody sleeps for ever, nothing is read that is freed.
#include "nopal/stm.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/runtime.hpp"
#include "platform/subscription.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::random_numbers;
using stm_transaction = nopal::stm::transaction;
namespace stm = nopal::stm;
namespace stm_events = nopal::detail::stm_events;

constexpr unsigned share = nopal_test::with_tsan ? 20 : nopal_test::with_asan ? 5 : 1;

/// What runs at the same time: threads, or strands of a runtime.
enum class run_by { threads, strands };

template <class F>
void run_all(run_by by, unsigned n, F&& f) {
  if (by == run_by::threads) {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < n; ++i) all.emplace_back([&f, i] { f(i); });
    return;
  }
  nopal::runtime r({.workers = 3});
  r.run([&] {
    nopal::task_scope s;
    for (unsigned i = 0; i < n; ++i) s.spawn([&f, i] { f(i); });
    s.join();
  });
}

class StmStress : public testing::TestWithParam<run_by> {
 protected:
  std::uint64_t seed_ = nopal_test::seed_or(41);
  nopal_test::watchdog dog_{120s, "transactions", seed_};
  nopal_test::random_delays delays_{seed_};
};
INSTANTIATE_TEST_SUITE_P(By, StmStress, testing::Values(run_by::threads, run_by::strands),
                         [](const auto& i) {
                           return i.param == run_by::threads ? "Threads" : "Strands";
                         });

// Money goes from account to account, and whoever looks at all sees the same sum.
TEST_P(StmStress, TheSumStaysTheSame) {
  constexpr unsigned accounts = 10, each = 1500 / share;
  constexpr long all = 1000L * accounts;
  std::vector<stm::var<long>> account(accounts);
  for (auto& a : account) a.set_value(1000);
  std::atomic<unsigned> wrong{0};
  run_all(GetParam(), 6, [&](unsigned i) {
    random_numbers random(seed_ + i);
    for (unsigned k = 0; k < each; ++k) {
      const unsigned from = random.below(accounts), to = random.below(accounts);
      const long amount = random.below(50);
      const unsigned kind = random.below(100);
      const auto move = [&](stm_transaction& t) {
        t.set(account[from], t.get(account[from]) - amount);
        t.set(account[to], t.get(account[to]) + amount);
      };
      if (kind < 70) {
        stm::atomically(move);
      } else if (kind < 72) {
        stm::irrevocably(move);
      } else {
        const long sum = stm::atomically([&](stm_transaction& t) {
          long s = 0;
          for (auto& a : account) s += t.get(a);
          if (s != all) ++wrong;  // of an attempt that is going to fail, too
          return s;
        });
        if (sum != all) ++wrong;
      }
    }
  });
  long sum = 0;
  for (auto& a : account) sum += a.value();
  EXPECT_EQ(sum, all) << "NOPAL_TEST_SEED=" << seed_;
  EXPECT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << seed_;
}

/// Runs a transaction, in which others end the sleep, or a limit does, again and again.
template <class F>
auto atomically_within_limits(F&& f, std::chrono::microseconds most) {
  std::error_code error;
  if constexpr (std::is_void_v<std::invoke_result_t<F&, stm_transaction&>>) {
    do stm::atomically(f, error, most);
    while (error);
  } else {
    for (;;)
      if (auto result = stm::atomically(f, error, most)) return *result;
  }
}

// A buffer of few places between producers and consumers, all of which sleep in retry.
TEST_P(StmStress, NobodySleepsForEver) {
  constexpr unsigned each = 800 / share, places = 3, pairs = 3;
  stm::array<unsigned> place(places);
  stm::var<unsigned> first{0}, used{0};
  std::atomic<std::uint64_t> sum{0};
  run_all(GetParam(), 2 * pairs, [&](unsigned i) {
    for (unsigned k = 1; k <= each; ++k) {
      const bool is_limited = i < pairs;
      const std::chrono::microseconds most(k % 50);
      const auto put = [&](stm_transaction& t) {
        const unsigned n = t.get(used);
        if (n == places) t.retry();
        t.set(place[(t.get(first) + n) % places], k);
        t.set(used, n + 1);
      };
      const auto take = [&](stm_transaction& t) {
        const unsigned n = t.get(used);
        if (n == 0) t.retry();
        const unsigned at = t.get(first);
        t.set(first, (at + 1) % places);
        t.set(used, n - 1);
        return t.get(place[at]);
      };
      if (i % 2 != 0)
        sum += is_limited ? atomically_within_limits(take, most) : stm::atomically(take);
      else if (is_limited)
        atomically_within_limits(put, most);
      else
        stm::atomically(put);
    }
  });
  EXPECT_EQ(used.value(), 0U);
  EXPECT_EQ(sum, std::uint64_t{pairs} * each * (each + 1) / 2);
}

/// Says when it is read after its end.
struct node : stm::object<> {
  explicit node(unsigned k) : key(k) { ++alive; }
  ~node() {
    key.set_value(~0U);
    --alive;
  }
  stm::field<unsigned> key;
  stm::field<node*> next;
  static inline std::atomic<int> alive{0};
};

// A sorted list, of which nodes are inserted and destroyed while others walk it.
TEST_P(StmStress, NothingFreedIsRead) {
  constexpr unsigned each = 1500 / share, keys = 40;
  node head(0);
  std::atomic<unsigned> wrong{0};
  run_all(GetParam(), 5, [&](unsigned i) {
    random_numbers random(seed_ + i);
    for (unsigned k = 0; k < each; ++k) {
      const unsigned key = 1 + random.below(keys);
      const bool inserts = random.one_in(2);
      stm::atomically([&](stm_transaction& t) {
        node* before = &head;
        node* n = t.get(head, &node::next);
        unsigned last = 0;
        while (n != nullptr && t.get(*n, &node::key) < key) {
          if (t.get(*n, &node::key) <= last) ++wrong;
          last = t.get(*n, &node::key);
          before = n;
          n = t.get(*n, &node::next);
        }
        const bool is_there = n != nullptr && t.get(*n, &node::key) == key;
        if (inserts && !is_there) {
          node* made = t.make<node>(key);
          t.set(*made, &node::next, n);
          t.set(*before, &node::next, made);
        } else if (!inserts && is_there) {
          t.set(*before, &node::next, t.get(*n, &node::next));
          t.destroy(n);
        }
      });
    }
  });
  EXPECT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << seed_;
  stm::atomically([&](stm_transaction& t) {
    node* n = t.get(head, &node::next);
    while (n != nullptr) {
      t.destroy(n);
      n = t.get(*n, &node::next);
    }
  });
}

/// An object that owns another one, and frees it at its end.
struct node_with_part : node {
  explicit node_with_part(unsigned k) : node(k), part(std::make_unique<node>(k)) {}
  std::unique_ptr<node> part;
};

/// Some are undone by whoever calls this.
void make_and_read(stm_transaction& t, unsigned key, std::atomic<unsigned>& wrong) {
  const node* plain = t.make<node>(key);
  const node_with_part* other = t.make<node_with_part>(key);
  if (t.get(*plain, &node::key) != key || t.get(*other->part, &node::key) != key) ++wrong;
}

// Half of them count up. The others wait for each count, and make, read and undo objects before.
TEST_P(StmStress, WhatIsUndoneIsLookedAtByNobody) {
  constexpr unsigned each = 300 / share, pairs = 3;
  const int alive_before = node::alive;
  std::vector<stm::var<unsigned>> count(pairs);
  std::atomic<unsigned> wrong{0};
  run_all(GetParam(), 2 * pairs, [&](unsigned i) {
    stm::var<unsigned>& mine = count[i / 2];
    for (unsigned k = 1; k <= each; ++k) {
      if (i % 2 == 0) {
        stm::atomically([&](stm_transaction& t) { t.set(mine, k); });
        continue;
      }
      stm::atomically([&](stm_transaction& t) {
        try {
          t.nested([&](stm_transaction& u) {
            make_and_read(u, k, wrong);
            throw k;
          });
        } catch (unsigned) {
        }
        const auto make_and_retry = [&](stm_transaction& u) {
          make_and_read(u, k, wrong);
          u.retry();
        };
        t.or_else(make_and_retry, [&](stm_transaction& u) {
          if (u.get(mine) < k) make_and_retry(u);
        });
      });
    }
  });
  EXPECT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << seed_;
  EXPECT_EQ(node::alive, alive_before) << "NOPAL_TEST_SEED=" << seed_;
}

// What one has taken out of reach and synchronized for is its own: plain reads and writes.
TEST_P(StmStress, WhatIsPrivateStaysSo) {
  constexpr unsigned each = 300 / (nopal_test::with_sanitizer ? 5 : 1);
  struct block {
    stm::var<long> a{0}, b{0};
  };
  stm::var<block*> shared{new block};
  std::atomic<unsigned> wrong{0};
  run_all(GetParam(), 4, [&](unsigned i) {
    for (unsigned k = 0; k < each; ++k) {
      if (i != 0) {
        stm::atomically([&](stm_transaction& t) {
          block* p = t.get(shared);
          if (p == nullptr) return;
          if (t.get(p->a) != t.get(p->b)) ++wrong;
          t.set(p->a, t.get(p->a) + 1);
          t.set(p->b, t.get(p->b) + 1);
        });
        continue;
      }
      block* mine = stm::atomically([&](stm_transaction& t) {
        block* p = t.get(shared);
        t.set(shared, nullptr);
        return p;
      });
      stm::synchronize();
      if (mine->a.value() != mine->b.value()) ++wrong;
      delete mine;
      stm::atomically([&](stm_transaction& t) { t.set(shared, new block); });
    }
  });
  EXPECT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << seed_;
  delete shared.value();
}

/// Where the thread that has set this stops once.
struct stop_sign {
  std::type_index at;
  std::atomic<bool> reached{false};
  std::atomic<bool> go_on{false};
};
thread_local stop_sign* sign = nullptr;

struct stops {
  template <class E>
  typename E::answer operator()(const E& /*event*/) const {
    stop_sign* s = sign;
    if (s != nullptr && s->at == typeid(E)) {
      sign = nullptr;
      s->reached = true;
      s->reached.notify_all();
      s->go_on.wait(false);
    }
    return typename E::answer();
  }
};

/// One thread stops at a step of its transaction; meanwhile another changes something else, which
/// must not take for ever, and the same, which must not where the first has no locks.
void others_go_on(std::type_index at, bool has_locks) {
  const nopal_test::watchdog dog(60s, std::string("a transaction stopped at ") + at.name(), 0);
  const nopal::detail::subscription<stm_events::all> subscription(stops{});
  stm::var<int> v{0}, other{0};
  stop_sign s{at};
  std::jthread stopped([&] {
    sign = &s;
    stm::atomically([&](stm_transaction& t) { t.set(v, t.get(v) + 1); });
  });
  s.reached.wait(false);
  constexpr int times = 100;
  for (int i = 0; i < times; ++i) {
    stm::atomically([&](stm_transaction& t) { t.set(other, t.get(other) + 1); });
    if (!has_locks) stm::atomically([&](stm_transaction& t) { t.set(v, t.get(v) + 1); });
  }
  s.go_on = true;
  s.go_on.notify_all();
  stopped.join();
  EXPECT_EQ(v.value(), has_locks ? 1 : times + 1);
  EXPECT_EQ(other.value(), times);
}

TEST(StmStopped, BeforeItHasLocks) {
  for (const std::type_index at :
       {std::type_index(typeid(stm_events::beginning)), std::type_index(typeid(stm_events::begun)),
        std::type_index(typeid(stm_events::comparing)),
        std::type_index(typeid(stm_events::looking_again)),
        std::type_index(typeid(stm_events::committing)),
        std::type_index(typeid(stm_events::locking)),
        std::type_index(typeid(stm_events::released))})
    others_go_on(at, false);
}

TEST(StmStopped, WithLocks) {
  for (const std::type_index at : {std::type_index(typeid(stm_events::advancing)),
                                   std::type_index(typeid(stm_events::writing)),
                                   std::type_index(typeid(stm_events::releasing))})
    others_go_on(at, true);
}

}  // namespace
