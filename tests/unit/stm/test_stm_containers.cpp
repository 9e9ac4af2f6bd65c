// SPDX-License-Identifier: Apache-2.0
// The containers against those of the standard library, and used by several threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/stm.hpp"
#include "support/seed.hpp"

namespace {

namespace stm = nopal::stm;
using nopal_test::random_numbers;
using stm::transaction;

/// Undoes what a transaction has done, now and then, and does it again.
template <class F>
auto perhaps_twice(random_numbers& random, F&& f) {
  if (random.one_in(4)) {
    try {
      stm::atomically([&](transaction& t) {
        static_cast<void>(f(t));
        throw 1;
      });
    } catch (int) {
    }
  }
  return stm::atomically(f);
}

template <class Locks>
class StmContainers : public testing::Test {
 protected:
  random_numbers random_{nopal_test::seed_or(51)};
};
using policies = testing::Types<stm::inline_lock, stm::word_lock, stm::lock_table<10, 3>>;
TYPED_TEST_SUITE(StmContainers, policies);

template <class Map>
void compare_maps(Map& m, random_numbers& random) {
  std::map<unsigned, int> expected;
  for (int i = 0; i < 3000; ++i) {
    const unsigned key = random.below(100);
    switch (random.below(4)) {
      case 0:
        EXPECT_EQ(perhaps_twice(random, [&](transaction& t) { return m.set(t, key, i); }),
                  expected.insert_or_assign(key, i).second);
        break;
      case 1:
        EXPECT_EQ(perhaps_twice(random, [&](transaction& t) { return m.insert(t, key, i); }),
                  expected.insert({key, i}).second);
        break;
      case 2:
        EXPECT_EQ(perhaps_twice(random, [&](transaction& t) { return m.erase(t, key); }),
                  expected.erase(key) == 1);
        break;
      default: {
        const auto found = stm::atomically([&](transaction& t) { return m.find(t, key); });
        const auto at = expected.find(key);
        EXPECT_EQ(found, at == expected.end() ? std::nullopt : std::optional<int>(at->second));
      }
    }
  }
  std::map<unsigned, int> all;
  stm::atomically([&](transaction& t) {
    all.clear();
    m.for_each(t, [&](unsigned k, int v) { EXPECT_TRUE(all.insert({k, v}).second); });
  });
  EXPECT_EQ(all, expected);
}

TYPED_TEST(StmContainers, HashMap) {
  stm::hash_map<unsigned, int, std::hash<unsigned>, std::equal_to<>, TypeParam> m(20);
  compare_maps(m, this->random_);
}

TYPED_TEST(StmContainers, Map) {
  stm::map<unsigned, int, std::less<>, TypeParam> m;
  EXPECT_TRUE(stm::atomically([&](transaction& t) { return m.empty(t); }));
  compare_maps(m, this->random_);
  std::vector<unsigned> keys;
  stm::atomically([&](transaction& t) {
    m.for_each(t, [&](unsigned k, int) { keys.push_back(k); });
    for (unsigned k = 0; k <= 101; ++k) {
      const auto at = std::ranges::lower_bound(keys, k);
      const auto found = m.lower_bound(t, k);
      ASSERT_EQ(found.has_value(), at != keys.end());
      if (found) {
        EXPECT_EQ(found->first, *at);
      }
    }
  });
  EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TYPED_TEST(StmContainers, MapOfManyIsShallow) {
  stm::map<int, int, std::less<>, TypeParam> m;
  constexpr int keys = 4096;
  for (int k = 0; k < keys; ++k) stm::atomically([&](transaction& t) { m.insert(t, k, k); });
  std::size_t most = 0;
  for (int k = 0; k < keys; ++k)
    stm::atomically([&](transaction& t) {
      EXPECT_EQ(m.find(t, k), k);
      most = std::max(most, t.locations_read());
    });
  EXPECT_LT(most, 100U);  // a level is two reads or, with one lock for a node, one twice
}

TYPED_TEST(StmContainers, List) {
  stm::list<std::string, std::less<>, TypeParam> l;
  std::set<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string x = std::to_string(this->random_.below(30));
    switch (this->random_.below(3)) {
      case 0:
        EXPECT_EQ(perhaps_twice(this->random_, [&](transaction& t) { return l.insert(t, x); }),
                  expected.insert(x).second);
        break;
      case 1:
        EXPECT_EQ(perhaps_twice(this->random_, [&](transaction& t) { return l.erase(t, x); }),
                  expected.erase(x) == 1);
        break;
      default:
        EXPECT_EQ(stm::atomically([&](transaction& t) { return l.contains(t, x); }),
                  expected.contains(x));
    }
  }
  std::vector<std::string> all;
  stm::atomically([&](transaction& t) {
    EXPECT_EQ(l.empty(t), expected.empty());
    l.for_each(t, [&](const std::string& x) { all.push_back(x); });
  });
  EXPECT_EQ(all, std::vector<std::string>(expected.begin(), expected.end()));
}

TYPED_TEST(StmContainers, Queue) {
  stm::queue<int, TypeParam> q;
  std::queue<int> expected;
  for (int i = 0; i < 2000; ++i) {
    if (this->random_.one_in(2)) {
      perhaps_twice(this->random_, [&](transaction& t) {
        q.push(t, i);
        return 0;
      });
      expected.push(i);
    } else {
      const auto x = perhaps_twice(this->random_, [&](transaction& t) { return q.try_pop(t); });
      ASSERT_EQ(x.has_value(), !expected.empty());
      if (x) {
        EXPECT_EQ(*x, expected.front());
        expected.pop();
      }
    }
    EXPECT_EQ(stm::atomically([&](transaction& t) { return q.empty(t); }), expected.empty());
  }
}

TYPED_TEST(StmContainers, Heap) {
  stm::heap<unsigned, std::less<>, TypeParam> h;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> expected;
  for (int i = 0; i < 3000; ++i) {
    if (this->random_.below(5) < 3) {
      const unsigned x = this->random_.below(1000);
      perhaps_twice(this->random_, [&](transaction& t) {
        h.push(t, x);
        return 0;
      });
      expected.push(x);
    } else {
      const auto x = perhaps_twice(this->random_, [&](transaction& t) { return h.try_pop(t); });
      ASSERT_EQ(x.has_value(), !expected.empty());
      if (x) {
        EXPECT_EQ(*x, expected.top());
        expected.pop();
      }
    }
  }
  EXPECT_EQ(stm::atomically([&](transaction& t) { return h.size(t); }), expected.size());
}

// Numbers go from a queue through all containers back into it, and none is lost.
TYPED_TEST(StmContainers, ManyThreadsMoveValues) {
  constexpr unsigned values = 50, threads = 3, rounds = 400;
  stm::queue<unsigned, TypeParam> q;
  stm::heap<unsigned, std::less<>, TypeParam> h;
  stm::map<unsigned, unsigned, std::less<>, TypeParam> m;
  stm::hash_map<unsigned, unsigned, std::hash<unsigned>, std::equal_to<>, TypeParam> hm(16);
  stm::list<unsigned, std::less<>, TypeParam> l;
  stm::counter<TypeParam> moves;
  stm::atomically([&](transaction& t) {
    for (unsigned v = 0; v < values; ++v) q.push(t, v);
  });
  const auto move_one = [&](transaction& t, unsigned from, unsigned key) {
    moves.add(t, 1);
    if (from == 0) {
      if (const auto x = q.try_pop(t)) h.push(t, *x);
    } else if (from == 1) {
      if (const auto x = h.try_pop(t)) {
        EXPECT_TRUE(m.insert(t, *x, *x));
      }
    } else if (from == 2) {
      if (const auto x = m.lower_bound(t, key)) {
        EXPECT_TRUE(m.erase(t, x->first));
        EXPECT_TRUE(hm.insert(t, x->first, x->second));
      }
    } else if (from == 3) {
      if (const auto x = hm.find(t, key)) {
        EXPECT_TRUE(hm.erase(t, key));
        EXPECT_TRUE(l.insert(t, *x));
      }
    } else if (l.erase(t, key)) {
      q.push(t, key);
    }
  };
  {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        random_numbers random(60 + i);
        for (unsigned k = 0; k < rounds; ++k) {
          const unsigned from = random.below(5), key = random.below(values);
          stm::atomically([&](transaction& t) { move_one(t, from, key); });
        }
      });
  }
  std::multiset<unsigned> found;
  stm::atomically([&](transaction& t) {
    found.clear();
    while (const auto x = q.try_pop(t)) found.insert(*x);
    while (const auto x = h.try_pop(t)) found.insert(*x);
    m.for_each(t, [&](unsigned k, unsigned) { found.insert(k); });
    hm.for_each(t, [&](unsigned k, unsigned) { found.insert(k); });
    l.for_each(t, [&](unsigned k) { found.insert(k); });
    EXPECT_EQ(moves.value(t), threads * rounds);
  });
  EXPECT_EQ(found.size(), values);
  for (unsigned v = 0; v < values; ++v) EXPECT_EQ(found.count(v), 1U);
}

TEST(StmQueue, PopWaits) {
  stm::queue<int> q;
  stm::heap<int> h;
  std::jthread pushes([&] {
    stm::atomically([&](transaction& t) { q.push(t, 1); });
    stm::atomically([&](transaction& t) { h.push(t, 2); });
  });
  EXPECT_EQ(stm::atomically([&](transaction& t) { return h.pop(t); }), 2);
  EXPECT_EQ(stm::atomically([&](transaction& t) { return q.pop(t); }), 1);
}

}  // namespace
