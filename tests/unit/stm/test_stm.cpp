// SPDX-License-Identifier: Apache-2.0
// What a transaction does, one thread at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
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

/// Counts how many there are.
struct counted {
  explicit counted(int n = 0) : number(n) { ++alive; }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  int number;
  static inline std::atomic<int> alive{0};
};

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

TEST(Stm, BoxedIsReadAndSetAsAVarIs) {
  stm::boxed<std::string> s{"nobody"};
  stm::boxed<std::vector<int>, stm::word_lock> v(3, 7);
  stm::atomically([&](transaction& t) {
    if (t.get(s) == "nobody") t.set(s, "somebody");
    std::vector<int> longer = t.get(v);
    longer.push_back(8);
    t.set(v, std::move(longer));
  });
  EXPECT_EQ(stm::atomically([&](transaction& t) { return t.get(s); }), "somebody");
  EXPECT_EQ(stm::atomically([&](transaction& t) { return t.get(v); }),
            (std::vector<int>{7, 7, 7, 8}));
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 t.set(s, "undone");
                 throw 1;
               }),
               int);
  EXPECT_EQ(stm::atomically([&](transaction& t) { return t.get(s); }), "somebody");
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

TEST(StmFork, ATransactionMayCommitOnAnotherWorker) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 3, .caller_works = caller_works});
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
}

}  // namespace
