// SPDX-License-Identifier: Apache-2.0
// What a transaction does, one thread at a time but where it waits.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

template <class T, class L>
T value_in(const stm::var<T, L>& v) {
  return stm::atomically([&](transaction& t) { return t.get(v); });
}

struct long_value {
  std::uint64_t a, b, c;
  friend bool operator==(const long_value&, const long_value&) = default;
};
struct odd_value {
  char text[11];
};

template <class Locks>
struct point : stm::object<Locks> {
  stm::field<int, Locks> x, y{5};
  std::array<stm::field<long_value, Locks>, 2> more;
};

/// Counts how many there are.
struct counted {
  explicit counted(int n = 0) : number(n) { ++alive; }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  int number;
  static inline std::atomic<int> alive{0};
};

template <class Locks>
class StmLocks : public testing::Test {};
using policies =
    testing::Types<stm::inline_lock, stm::word_lock, stm::lock_table<16, 3>, stm::lock_table<1, 3>>;
TYPED_TEST_SUITE(StmLocks, policies);

TYPED_TEST(StmLocks, ReadsWhatItHasWritten) {
  stm::var<int, TypeParam> v{1};
  EXPECT_EQ(stm::atomically([&](transaction& t) {
              t.set(v, t.get(v) + 1);
              t.set(v, t.get(v) * 10);
              EXPECT_EQ(v.value(), 1);
              return t.get(v);
            }),
            20);
  EXPECT_EQ(v.value(), 20);
}

TYPED_TEST(StmLocks, ValuesOfAllSizes) {
  stm::var<char, TypeParam> c{'a'};
  stm::var<std::uint16_t, TypeParam> h{1};
  stm::var<double, TypeParam> d{0.5};
  stm::var<long_value, TypeParam> l{{1, 2, 3}};
  stm::var<odd_value, TypeParam> o{{"0123456789"}};
  for (int round = 0; round < 2; ++round)
    stm::atomically([&](transaction& t) {
      t.set(c, static_cast<char>(t.get(c) + 1));
      t.set(h, static_cast<std::uint16_t>(t.get(h) + 65));
      t.set(d, t.get(d) * 2);
      for (int again = 0; again < 2; ++again) {
        long_value x = t.get(l);
        x.c += 10;
        t.set(l, x);
      }
      odd_value y = t.get(o);
      y.text[9] = 'x';
      t.set(o, y);
    });
  EXPECT_EQ(c.value(), 'c');
  EXPECT_EQ(h.value(), 131);
  EXPECT_EQ(d.value(), 2);
  EXPECT_EQ(l.value(), (long_value{1, 2, 43}));
  EXPECT_STREQ(o.value().text, "012345678x");
}

TYPED_TEST(StmLocks, Objects) {
  using object = point<TypeParam>;
  auto* p = stm::atomically([](transaction& t) {
    auto* made = t.make<object>();
    t.set(*made, &object::x, 3);
    t.set(*made, made->more[1], {7, 8, 9});
    EXPECT_EQ(t.get(*made, &object::x), 3);
    return made;
  });
  stm::atomically([p](transaction& t) {
    EXPECT_EQ(t.get(*p, &object::x), 3);
    EXPECT_EQ(t.get(*p, &object::y), 5);
    EXPECT_EQ(t.get(*p, p->more[1]), (long_value{7, 8, 9}));
    t.destroy(p);
  });
}

TYPED_TEST(StmLocks, AnExceptionUndoesAll) {
  stm::var<int, TypeParam> v{1};
  stm::var<long_value, TypeParam> l{{1, 2, 3}};
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 t.set(v, 2);
                 t.set(l, {});
                 throw std::runtime_error("no");
               }),
               std::runtime_error);
  EXPECT_EQ(value_in(v), 1);
  EXPECT_EQ(value_in(l), (long_value{1, 2, 3}));
}

TYPED_TEST(StmLocks, AnInnerPartIsUndoneAlone) {
  stm::var<int, TypeParam> v{1}, w{1}, x{1};
  stm::var<long_value, TypeParam> l{{1, 1, 1}};
  stm::atomically([&](transaction& t) {
    t.set(v, 2);
    t.set(l, {2, 2, 2});
    t.nested([&](transaction& u) { u.set(x, 7); });
    EXPECT_THROW(t.nested([&](transaction& u) {
      u.set(v, 3);
      u.set(w, 3);
      u.set(l, {3, 3, 3});
      u.nested([&](transaction& deeper) {
        deeper.set(v, 4);
        deeper.set(l, {4, 4, 4});
      });
      EXPECT_EQ(u.get(v), 4);
      u.set(v, 5);
      throw 1;
    }),
                 int);
    EXPECT_EQ(t.get(v), 2);
    EXPECT_EQ(t.get(w), 1);
    EXPECT_EQ(t.get(l), (long_value{2, 2, 2}));
  });
  EXPECT_EQ(value_in(v), 2);
  EXPECT_EQ(value_in(w), 1);
  EXPECT_EQ(value_in(x), 7);
  EXPECT_EQ(value_in(l), (long_value{2, 2, 2}));
}

TYPED_TEST(StmLocks, ManyLocations) {
  stm::array<int, TypeParam> a(1000);
  stm::atomically([&](transaction& t) {
    for (std::size_t i = 0; i < a.size(); ++i) t.set(a[i], static_cast<int>(i));
    EXPECT_THROW(t.nested([&](transaction& u) {
      for (std::size_t i = 0; i < a.size(); i += 2) u.set(a[i], -1);
      throw 1;
    }),
                 int);
  });
  stm::atomically<stm::hash_reads>([&](stm::basic_transaction<stm::hash_reads>& t) {
    std::size_t sum = 0;
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::size_t>(t.get(a[i]));
    EXPECT_EQ(sum, 999U * 1000U);
    EXPECT_LE(t.locations_read(), a.size());
  });
}

TEST(Stm, OneLockForAnObject) {
  point<stm::inline_lock> one;
  point<stm::word_lock> three;
  using reads = stm::hash_reads;
  stm::atomically<reads>([&](stm::basic_transaction<reads>& t) {
    EXPECT_EQ(t.get(one, one.x) + t.get(one, one.y), 5);
    EXPECT_EQ(t.locations_read(), 1U);
    EXPECT_EQ(t.get(three, three.x) + t.get(three, three.y), 5);
    EXPECT_EQ(t.locations_read(), 3U);
  });
  stm::atomically<stm::array_reads>([&](stm::basic_transaction<stm::array_reads>& t) {
    EXPECT_EQ(t.get(one, one.x) + t.get(one, one.y) + t.get(one, one.x), 5);
    EXPECT_EQ(t.locations_read(), 1U);  // in a row
    EXPECT_EQ(t.get(three, three.x) + t.get(one, one.x), 0);
    EXPECT_EQ(t.locations_read(), 3U);
  });
  static_assert(sizeof(stm::var<int>) == 16 && sizeof(stm::field<int, stm::inline_lock>) == 4);
  static_assert(sizeof(stm::var<int, stm::lock_table<20, 3>>) == 4);
}

TEST(Stm, WhatIsReturned) {
  int x = 0;
  EXPECT_EQ(&stm::atomically([&](transaction&) -> int& { return x; }), &x);
  EXPECT_EQ(*stm::atomically([](transaction&) { return std::make_unique<int>(4); }), 4);
  EXPECT_EQ(stm::atomically([](transaction& t) {
              return *t.nested([](transaction&) { return std::make_unique<int>(5); });
            }),
            5);
}

TEST(Stm, WhatIsMadeAndDestroyed) {
  EXPECT_THROW(stm::atomically([](transaction& t) {
                 static_cast<void>(t.make<counted>());
                 throw 1;
               }),
               int);
  EXPECT_EQ(counted::alive, 0);
  stm::var<counted*> v{nullptr};
  stm::atomically([&](transaction& t) { t.set(v, t.make<counted>(7)); });
  EXPECT_EQ(counted::alive, 1);
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 t.destroy(t.get(v));
                 throw 1;
               }),
               int);
  stm::atomically([&](transaction& t) {
    EXPECT_THROW(t.nested([&](transaction& u) {
      u.destroy(u.get(v));
      static_cast<void>(u.make<counted>());
      throw 1;
    }),
                 int);
    EXPECT_EQ(counted::alive, 1);
    EXPECT_EQ(t.get(v)->number, 7);
  });
  stm::atomically([&](transaction& t) {
    t.destroy(t.get(v));
    t.destroy(static_cast<counted*>(nullptr));
    t.set(v, nullptr);
    t.destroy(t.make<counted>());
    EXPECT_EQ(counted::alive, 2);
  });
  stm::synchronize();
  EXPECT_EQ(counted::alive, 0);
  stm::var<counted*> w{new counted};
  stm::atomically([&](transaction& t) { t.destroy(t.get(w)); });  // alone, with nothing written
  stm::synchronize();
  EXPECT_EQ(counted::alive, 0);
}

TEST(Stm, DestroyedIsFreedWithoutSynchronize) {
  stm::var<counted*> v{nullptr};
  for (int i = 0; i < 1000; ++i)
    stm::atomically([&](transaction& t) {
      t.destroy(t.get(v));
      t.set(v, t.make<counted>());
    });
  EXPECT_LT(counted::alive, 200);
  stm::atomically([&](transaction& t) { t.destroy(t.get(v)); });
  stm::synchronize();
  EXPECT_EQ(counted::alive, 0);
}

TEST(Stm, ADestroyedBlockStaysForWhoeverMayReadIt) {
  stm::var<counted*> v{new counted(3)};
  const int seen = stm::atomically([&](transaction& t) {
    const counted* c = t.get(v);
    std::thread([&] {
      for (int i = 0; i < 200; ++i)
        stm::atomically([&](transaction& u) {
          u.destroy(u.get(v));
          u.set(v, u.make<counted>(4));
        });
    }).join();
    return c->number;
  });
  EXPECT_EQ(seen, 3);
  stm::atomically([&](transaction& t) { t.destroy(t.get(v)); });
  stm::synchronize();
  EXPECT_EQ(counted::alive, 0);
}

TEST(Stm, Handlers) {
  std::string log;
  stm::var<int> v{0};
  int attempts = 0;
  stm::atomically([&](transaction& t) {
    t.on_commit([&] { log += "c1"; });
    t.on_abort([&] { log += "a1"; });
    t.on_abort([&] { log += "a2"; });
    t.on_commit([&] { log += std::to_string(value_in(v)); });
    EXPECT_THROW(t.nested([&](transaction& u) {
      u.on_commit([&] { log += "never"; });
      u.on_abort([&] { log += "n"; });
      throw 1;
    }),
                 int);
    t.set(v, t.get(v) + 5);
    if (attempts++ == 0)
      std::thread([&] { stm::atomically([&](transaction& u) { u.set(v, 1); }); }).join();
  });
  EXPECT_EQ(log, "na2a1nc16");
  log.clear();
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 t.on_commit([&] { log += "never"; });
                 t.on_abort([&] { log += "a"; });
                 throw 1;
               }),
               int);
  EXPECT_EQ(log, "a");
}

TEST(Stm, AConflictIsRepeated) {
  stm::var<int> v{0}, w{0};
  int attempts = 0;
  stm::atomically([&](transaction& t) {
    const int x = t.get(v);
    if (++attempts == 1)
      std::thread([&] {
        stm::atomically([&](transaction& u) {
          u.set(v, 10);
          u.set(w, 10);
        });
      }).join();
    EXPECT_EQ(t.get(w), x);
    t.set(w, x + 1);
  });
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(value_in(w), 11);
}

TEST(Stm, AVersionIsExtended) {
  stm::var<int> v{0}, w{0};
  int attempts = 0;
  const auto before = stm::stats();
  stm::atomically([&](transaction& t) {
    const int x = t.get(v);
    ++attempts;
    std::thread([&] { stm::atomically([&](transaction& u) { u.set(w, 10); }); }).join();
    EXPECT_EQ(t.get(w), 10);
    t.set(v, x + 1);
  });
  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(stm::stats().extensions - before.extensions, 1U);
  EXPECT_EQ(stm::stats().validations, before.validations);
  EXPECT_EQ(stm::stats().validations_skipped - before.validations_skipped, 2U);
}

TEST(Stm, ASwallowedConflictEndsAtTheNextAccess) {
  stm::var<int> v{0}, w{0};
  int attempts = 0, swallowed = 0, reached = 0;
  stm::atomically([&](transaction& t) {
    const int x = t.get(v);
    if (++attempts <= 2)
      std::thread([&] {
        stm::atomically([&](transaction& u) {
          u.set(v, u.get(v) + 1);
          u.set(w, u.get(w) + 1);
        });
      }).join();
    try {
      EXPECT_EQ(t.get(w), x);
    } catch (...) {
      ++swallowed;
      if (attempts == 1) {
        t.set(w, 99);
        ++reached;
      }
    }
  });
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(swallowed, 2);
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(value_in(w), 2);
}

TEST(Stm, AnExceptionAfterASwallowedConflictIsNotForTheCaller) {
  stm::var<int> v{0}, w{0};
  int attempts = 0;
  stm::atomically([&](transaction& t) {
    static_cast<void>(t.get(v));
    if (++attempts == 1)
      std::thread([&] {
        stm::atomically([&](transaction& u) {
          u.set(v, 1);
          u.set(w, 1);
        });
      }).join();
    try {
      static_cast<void>(t.get(w));
    } catch (...) {
      throw std::runtime_error("made of a conflict");
    }
  });
  EXPECT_EQ(attempts, 2);
}

TEST(Stm, Boxed) {
  stm::boxed<std::string> s{"a string that is longer than what fits in one"};
  stm::atomically([&](transaction& t) {
    const std::string before = s.get(t);
    s.set(t, before + "!");
    EXPECT_EQ(s.get(t), before + "!");
    s.set(t, 3, 'x');
  });
  EXPECT_EQ(stm::atomically([&](transaction& t) { return s.get(t); }), "xxx");
}

TEST(Stm, IrrevocablyOnceAndAlone) {
  stm::var<int> v{0};
  std::atomic<bool> stop{false};
  std::jthread other([&] {
    while (!stop) stm::atomically([&](transaction& t) { t.set(v, t.get(v) + 1); });
  });
  for (int i = 0; i < 200; ++i) {
    int calls = 0;
    stm::irrevocably([&](transaction& t) {
      ++calls;
      const int x = t.get(v);
      std::this_thread::yield();
      EXPECT_EQ(v.value(), x);
      t.set(v, x + 1);
    });
    EXPECT_EQ(calls, 1);
  }
  EXPECT_THROW(stm::irrevocably([&](transaction& t) {
                 if (t.get(v) != 0) t.retry();
               }),
               std::logic_error);
  stop = true;
}

TEST(Stm, StarvingGetsThrough) {
  stm::var<int> v{0};
  int attempts = 0;
  const auto before = stm::stats().tokens;
  stm::atomically([&](transaction& t) {
    const int x = t.get(v);
    std::jthread other;
    if (++attempts <= 16)
      std::thread([&] { stm::atomically([&](transaction& u) { u.set(v, u.get(v) + 1); }); }).join();
    t.set(v, x + 100);
  });
  EXPECT_EQ(attempts, 17);
  EXPECT_EQ(value_in(v), 116);
  EXPECT_EQ(stm::stats().tokens - before, 1U);
}

TEST(StmRetry, NeedsSomethingRead) {
  EXPECT_THROW(stm::atomically([](transaction& t) { t.retry(); }), std::logic_error);
}

TEST(StmRetry, OfTheLeftSideAloneNeedsNothing) {
  const auto left_or_right = [](transaction& t) {
    return t.or_else([](transaction& u) -> int { u.retry(); }, [](transaction&) { return 2; });
  };
  EXPECT_EQ(stm::atomically(left_or_right), 2);
  EXPECT_EQ(stm::irrevocably(left_or_right), 2);
}

TEST(StmRetry, AThreadSleeps) {
  stm::var<int> v{0}, other{0};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      if (t.get(v) < 3) t.retry();
      t.set(v, 100);
    });
  });
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stm::atomically([&](transaction& t) { t.set(other, t.get(other) + 1); });
    stm::atomically([&](transaction& t) { t.set(v, t.get(v) + 1); });
  }
  waits.join();
  EXPECT_EQ(value_in(v), 100);
}

TEST(StmRetry, AStrandIsSuspendedAndNotItsWorker) {
  nopal::runtime one({.workers = 1});
  stm::var<int> v{0};
  int order = 0;
  one.run([&] {
    nopal::parallel_invoke(
        [&] {
          stm::atomically([&](transaction& t) {
            if (t.get(v) == 0) t.retry();
          });
          EXPECT_EQ(order, 1);
          order = 2;
        },
        [&] {
          order = 1;
          stm::atomically([&](transaction& t) { t.set(v, 1); });
        });
  });
  EXPECT_EQ(order, 2);
}

TEST(StmRetry, WakesNobodyForNothing) {
  stm::var<int> v{0}, other{0};
  std::atomic<int> attempts{0};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      if (t.get(v) == 0) t.retry();
    });
  });
  while (attempts == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const int before = attempts;
  for (int i = 0; i < 100; ++i)
    stm::atomically([&](transaction& t) { t.set(other, t.get(other) + 1); });
  EXPECT_EQ(attempts, before);
  stm::atomically([&](transaction& t) { t.set(v, 1); });
  waits.join();
}

TEST(StmRetry, OrElse) {
  stm::var<int> a{0}, b{0}, note{0};
  const auto take = [&](stm::var<int>& v, int as) {
    return [&v, &note, as](transaction& t) {
      t.set(note, t.get(note) * 10 + as);
      const int x = t.get(v);
      if (x == 0) t.retry();
      t.set(v, 0);
      return x;
    };
  };
  const auto take_either = [&] {
    return stm::atomically([&](transaction& t) { return t.or_else(take(a, 1), take(b, 2)); });
  };
  stm::atomically([&](transaction& t) { t.set(b, 7); });
  EXPECT_EQ(take_either(), 7);
  EXPECT_EQ(value_in(note), 2);  // what the first function has written is undone
  stm::atomically([&](transaction& t) { t.set(a, 8); });
  EXPECT_EQ(take_either(), 8);
  EXPECT_EQ(value_in(note), 21);
  for (stm::var<int>* v : {&a, &b}) {  // a change to what either has read wakes it
    std::thread sets([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      stm::atomically([&](transaction& t) { t.set(*v, 9); });
    });
    EXPECT_EQ(take_either(), 9);
    sets.join();
  }
}

TEST(StmRetry, WhatItHasReadMayBeDestroyed) {
  struct node : stm::object<> {
    stm::field<int> key{0};
  };
  stm::var<node*> v{new node};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      const node* n = t.get(v);
      if (n != nullptr && t.get(*n, &node::key) == 0) t.retry();
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stm::atomically([&](transaction& t) {
    t.destroy(t.get(v));
    t.set(v, nullptr);
  });
  stm::synchronize();
  waits.join();
}

TEST(StmFork, ATransactionMayCommitOnAnotherWorker) {
  nopal::runtime r({.workers = 3});
  constexpr int strands = 8, rounds = 50;
  std::vector<stm::var<int>> v(2);
  r.run([&] {
    nopal::task_scope s;
    for (int i = 0; i < strands; ++i)
      s.spawn([&] {
        for (int k = 0; k < rounds; ++k)
          stm::atomically([&](transaction& t) {
            int a = 0, b = 0;
            const int x = t.get(v[0]);
            nopal::parallel_invoke([&] { a = x + 1; }, [&] { b = x + 2; });
            t.set(v[0], a);
            nopal::parallel_invoke([] {}, [] {});
            EXPECT_EQ(t.get(v[1]), x);
            t.set(v[1], b - 1);
          });
      });
    s.join();
  });
  EXPECT_EQ(v[0].value(), strands * rounds);
  EXPECT_EQ(v[1].value(), strands * rounds);
}

}  // namespace
