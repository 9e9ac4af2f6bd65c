// SPDX-License-Identifier: Apache-2.0
// What a transaction reads of objects that it has made itself: it does not count as read, and
// nothing looks at it when it is undone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"
#include "nopal/task.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

/// Small enough for the cache of blocks, which writes over what is freed.
template <class L>
struct small_of : stm::object<L> {
  std::array<stm::field<long, L>, 3> a;
};
/// So large that the system takes its memory back at once.
template <class L>
struct large_of : stm::object<L> {
  std::array<stm::field<long, L>, 100'000> a;
};
/// Its fields lie elsewhere, and are gone with it.
struct indirect : stm::object<> {
  std::unique_ptr<small_of<stm::inline_lock>> part = std::make_unique<small_of<stm::inline_lock>>();
};
using small = small_of<stm::inline_lock>;
using large = large_of<stm::inline_lock>;

template <class O>
const O& fields_of(const O& o) {
  return o;
}
const small& fields_of(const indirect& o) { return *o.part; }

/// Two objects: freed, the one holds a pointer to the other where its lock was.
template <class O>
std::array<O*, 2> make_and_read(transaction& t) {
  std::array<O*, 2> made;
  for (O*& m : made) {
    m = t.make<O>();
    EXPECT_EQ(t.get(fields_of(*m), fields_of(*m).a[1]), 0);
  }
  return made;
}
template <class O>
void destroy_both(transaction& t, const std::array<O*, 2>& made) {
  for (O* m : made) t.destroy(m);
}

template <class O>
struct StmUndone : testing::Test {};
using object_types =
    testing::Types<small, large, small_of<stm::word_lock>, large_of<stm::word_lock>,
                   small_of<stm::lock_table<10, 3>>, large_of<stm::lock_table<10, 3>>, indirect>;
TYPED_TEST_SUITE(StmUndone, object_types);

/// Calls `wait`, which is to sleep in retry, and `end_wait` when it has been asleep for a while.
template <class F, class G>
void wait_until(F&& wait, G&& end_wait) {
  const std::uint64_t before = stm::stats().retries;
  std::thread ends([&] {
    while (stm::stats().retries == before) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    end_wait();
  });
  wait();
  ends.join();
}
/// The same, until `flag` is 1. Returns how often `wait` has been attempted: twice, unless it
/// spins.
template <class F>
int attempts_until_set(stm::var<int>& flag, const std::atomic<int>& attempts, F&& wait) {
  wait_until(wait, [&] { stm::atomically([&](transaction& t) { t.set(flag, 1); }); });
  return attempts;
}

TYPED_TEST(StmUndone, RetrySleeps) {
  stm::var<int> flag{0};
  std::atomic<int> attempts{0};
  const auto wait = [&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      const auto made = make_and_read<TypeParam>(t);
      if (t.get(flag) == 0) t.retry();
      destroy_both(t, made);
    });
  };
  EXPECT_EQ(attempts_until_set(flag, attempts, wait), 2);
}

TYPED_TEST(StmUndone, RetrySleepsWhileOthersCommit) {
  stm::var<int> flag{0}, other{0};
  std::atomic<int> attempts{0};
  std::atomic<bool> stop{false};
  std::thread commits([&] {
    while (!stop) stm::atomically([&](transaction& t) { t.set(other, t.get(other) + 1); });
  });
  const auto wait = [&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      const auto made = make_and_read<TypeParam>(t);
      if (t.get(flag) == 0) t.retry();
      destroy_both(t, made);
    });
  };
  // One that spins makes hundreds in that time. Some may find `flag` locked by the thread that sets
  // it, if the system has stopped that thread.
  EXPECT_LT(attempts_until_set(flag, attempts, wait), 20);
  stop = true;
  commits.join();
}

TYPED_TEST(StmUndone, RetryOfATaskSleeps) {
  nopal::runtime one({.workers = 1});
  stm::var<int> flag{0};
  std::atomic<int> attempts{0};
  const auto wait = [&] {
    one.run([&]() -> nopal::task<> {
      co_await stm::async_atomically([&](transaction& t) {
        ++attempts;
        const auto made = make_and_read<TypeParam>(t);
        if (t.get(flag) == 0) t.retry();
        destroy_both(t, made);
      });
    });
  };
  EXPECT_EQ(attempts_until_set(flag, attempts, wait), 2);
}

TYPED_TEST(StmUndone, OrElse) {
  stm::var<int> flag{0};
  std::atomic<int> attempts{0};
  const auto make_and_retry = [](transaction& t) {
    make_and_read<TypeParam>(t);
    t.retry();
  };
  const auto wait = [&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      t.or_else(make_and_retry, [&](transaction& u) {
        const auto made = make_and_read<TypeParam>(u);
        if (u.get(flag) == 0) u.retry();
        destroy_both(u, made);
      });
    });
  };
  EXPECT_EQ(attempts_until_set(flag, attempts, wait), 2);
}

/// Each part makes an object, reads it and throws; others commit meanwhile, so that the commit
/// looks at all that was read.
TYPED_TEST(StmUndone, NestedThatThrowsConflictsWithNobody) {
  stm::var<int> mine{0}, other{0};
  int attempts = 0;
  const stm::statistics before = stm::stats();
  for (int i = 0; i < 20; ++i)
    stm::atomically([&](transaction& t) {
      ++attempts;
      for (int k = 0; k < 3; ++k)
        EXPECT_THROW(t.nested([](transaction& u) {
          make_and_read<TypeParam>(u);
          throw 1;
        }),
                     int);
      const auto made = make_and_read<TypeParam>(t);
      std::thread([&] { stm::atomically([&](transaction& u) { u.set(other, 1); }); }).join();
      t.set(mine, t.get(mine) + 1);
      destroy_both(t, made);
    });
  EXPECT_EQ(attempts, 20);
  EXPECT_EQ(stm::stats().conflicts - before.conflicts, 0U);
  EXPECT_EQ(mine.value(), 20);
}

/// Those whose fields lie in what was made: a transaction knows that as its own.
template <class O>
struct StmOwn : testing::Test {};
using whole_types =
    testing::Types<small, large, small_of<stm::word_lock>, large_of<stm::word_lock>,
                   small_of<stm::lock_table<10, 3>>, large_of<stm::lock_table<10, 3>>>;
TYPED_TEST_SUITE(StmOwn, whole_types);

TYPED_TEST(StmOwn, RetryThatHasReadNothingElseThrows) {
  const auto make_and_retry = [](transaction& t) {
    make_and_read<TypeParam>(t);
    t.retry();
  };
  EXPECT_THROW(stm::atomically(make_and_retry), std::logic_error);
  EXPECT_THROW(stm::atomically([&](transaction& t) { t.or_else(make_and_retry, make_and_retry); }),
               std::logic_error);
  nopal::runtime one({.workers = 1});
  EXPECT_THROW(one.run([&]() -> nopal::task<> { co_await stm::async_atomically(make_and_retry); }),
               std::logic_error);
}

TYPED_TEST(StmOwn, IsNotInTheReadSet) {
  stm::atomically([](transaction& t) {
    TypeParam* made = t.make<TypeParam>();
    t.set(*made, made->a[0], 5);
    EXPECT_EQ(t.get(*made, made->a[0]), 5);
    EXPECT_EQ(t.get(*made, made->a[2]), 0);
    EXPECT_EQ(t.locations_read(), 0U);
    t.destroy(made);
  });
}

TEST(StmUndoneParts, ReadAmongThousandsOfObjects) {
  stm::var<int> other{3};
  const std::unique_ptr<small> shared = std::make_unique<small>();
  stm::atomically([&](transaction& t) {
    std::vector<small*> made;
    for (int i = 0; i < 3000; ++i) {
      made.push_back(t.make<small>());
      made.back()->a[1].set_value(i);
      // Each as long as it is there, and no longer.
      if (i % 100 == 0) {
        EXPECT_THROW(t.nested([&](transaction& u) {
          for (int k = 0; k < 10; ++k) {
            small* undone = u.make<small>();
            EXPECT_EQ(u.get(*undone, undone->a[1]), 0);
          }
          throw 1;
        }),
                     int);
      }
      const small* some = made[static_cast<std::size_t>(i) / 2];
      EXPECT_EQ(t.get(*some, some->a[1]), i / 2);
    }
    EXPECT_EQ(t.locations_read(), 0U);
    EXPECT_EQ(t.get(*shared, shared->a[1]), 0);
    EXPECT_EQ(t.get(other), 3);
    EXPECT_EQ(t.locations_read(), 2U);
    for (small* m : made) t.destroy(m);
  });
}

TEST(StmUndoneParts, AQueueIsPoppedOnceTooOften) {
  stm::queue<int> q;
  for (int i = 0; i < 2; ++i) stm::atomically([&](transaction& t) { q.push(t, i); });
  for (int i = 0; i < 2; ++i) stm::atomically([&](transaction& t) { return q.pop(t); });
  stm::synchronize();  // their nodes are used again
  std::atomic<int> attempts{0};
  int popped = 0;
  const auto pop_two = [&] {
    popped = stm::atomically([&](transaction& t) {
      ++attempts;
      q.push(t, 1);
      static_cast<void>(q.pop(t));
      return q.pop(t);
    });
  };
  wait_until(pop_two, [&] { stm::atomically([&](transaction& t) { q.push(t, 7); }); });
  EXPECT_EQ(popped, 1) << "the 7 was there before it";
  EXPECT_EQ(attempts, 2);
}

TEST(StmUndoneParts, TwoInsertsIntoAListAndAnother) {
  stm::list<int> l;
  stm::var<int> flag{0};
  std::atomic<int> attempts{0};
  const auto insert_two_if_set = [&](int x) {
    return [&, x](transaction& t) {
      l.insert(t, x);
      l.insert(t, x + 1);
      EXPECT_TRUE(l.contains(t, x + 1));
      if (t.get(flag) == 0) t.retry();
    };
  };
  const auto wait = [&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      t.or_else(insert_two_if_set(1), insert_two_if_set(5));
    });
  };
  EXPECT_EQ(attempts_until_set(flag, attempts, wait), 2);
  EXPECT_TRUE(stm::atomically([&](transaction& t) { return l.contains(t, 2); }));
}

struct counted : stm::object<> {
  explicit counted(int& n) : alive(n) { ++alive; }
  ~counted() { --alive; }
  int& alive;
};

TEST(StmUndoneParts, IsDeletedWhenTheAttemptHasEnded) {
  int alive = 0;
  counted* kept = nullptr;
  stm::atomically([&](transaction& t) {
    EXPECT_EQ(alive, 0);
    kept = t.make<counted>(alive);
    EXPECT_THROW(t.nested([&](transaction& u) {
      static_cast<void>(u.make<counted>(alive));
      throw 1;
    }),
                 int);
    t.or_else(
        [&](transaction& u) {
          static_cast<void>(u.make<counted>(alive));
          u.retry();
        },
        [](transaction&) {});
  });
  EXPECT_EQ(alive, 1) << "what was made and not undone stays";
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 static_cast<void>(t.make<counted>(alive));
                 throw 1;
               }),
               int);
  EXPECT_EQ(alive, 1);
  delete kept;
}

}  // namespace
