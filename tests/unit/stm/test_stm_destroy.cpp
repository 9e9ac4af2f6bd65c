// SPDX-License-Identifier: Apache-2.0
// What is destroyed twice is reported, and two objects never lie in one place.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "nopal/stm.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

template <class L>
struct node_of : stm::object<L> {
  stm::field<long, L> key{1};
};
using node = node_of<stm::inline_lock>;

template <class T>
struct StmDestroy : testing::Test {};
/// With a lock of their own, and without.
using destroyed_types = testing::Types<node, node_of<stm::word_lock>,
                                       node_of<stm::lock_table<10, 3>>, long, std::string>;
TYPED_TEST_SUITE(StmDestroy, destroyed_types);

template <class T>
void expect_two_places() {
  stm::atomically([](transaction& t) {
    T* one = t.make<T>();
    T* two = t.make<T>();
    EXPECT_NE(one, two);
    t.destroy(one);
    t.destroy(two);
  });
}

template <class T>
T* made() {
  return stm::atomically([](transaction& t) { return t.make<T>(); });
}

TYPED_TEST(StmDestroy, TwiceInOneTransactionThrows) {
  TypeParam* const n = made<TypeParam>();
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 t.destroy(n);
                 t.destroy(n);
               }),
               std::logic_error);
  stm::atomically([&](transaction& t) { t.destroy(n); });  // the one that threw had no effect
  stm::synchronize();
  expect_two_places<TypeParam>();
}

TYPED_TEST(StmDestroy, OfWhatItHasMadeTwiceThrows) {
  EXPECT_THROW(stm::atomically([&](transaction& t) {
                 TypeParam* n = t.make<TypeParam>();
                 t.destroy(n);
                 t.destroy(n);
               }),
               std::logic_error);
  expect_two_places<TypeParam>();
}

TYPED_TEST(StmDestroy, ByTwoTransactionsThrows) {
  TypeParam* const n = made<TypeParam>();
  stm::atomically([&](transaction& t) { t.destroy(n); });
  EXPECT_THROW(stm::atomically([&](transaction& t) { t.destroy(n); }), std::logic_error);
  stm::synchronize();
  expect_two_places<TypeParam>();
}

TYPED_TEST(StmDestroy, AgainAfterItIsUndoneIsRight) {
  TypeParam* const n = made<TypeParam>();
  stm::atomically([&](transaction& t) {
    EXPECT_THROW(t.nested([&](transaction& u) {
      u.destroy(n);
      throw 1;
    }),
                 int);
    t.or_else(
        [&](transaction& u) {
          u.destroy(n);
          u.retry();
        },
        [](transaction&) {});
    t.destroy(n);
  });
  stm::synchronize();
  expect_two_places<TypeParam>();
}

TEST(StmDestroyed, ByATransactionOnAnotherThreadThrows) {
  node* const n = made<node>();
  std::thread([&] { stm::atomically([&](transaction& t) { t.destroy(n); }); }).join();
  EXPECT_THROW(stm::atomically([&](transaction& t) { t.destroy(n); }), std::logic_error);
}

/// The first attempt has called destroy before the other transaction commits.
TEST(StmDestroyed, ByTwoTransactionsAtOnceThrowsInTheSecond) {
  node* const n = made<node>();
  int attempts = 0;
  EXPECT_THROW(
      stm::atomically([&](transaction& t) {
        ++attempts;
        t.destroy(n);
        if (attempts == 1)
          std::thread([&] { stm::atomically([&](transaction& u) { u.destroy(n); }); }).join();
      }),
      std::logic_error);
  EXPECT_EQ(attempts, 2);
}

/// The commit takes the lock for the field, and comes to what is destroyed with the lock in hand.
TEST(StmDestroyed, ByTwoTransactionsOfWhichOneHasWrittenToItThrowsInThatOne) {
  node* const n = made<node>();
  int attempts = 0;
  EXPECT_THROW(
      stm::atomically([&](transaction& t) {
        ++attempts;
        t.set(*n, &node::key, 2);
        t.destroy(n);
        if (attempts == 1)
          std::thread([&] { stm::atomically([&](transaction& u) { u.destroy(n); }); }).join();
      }),
      std::logic_error);
  EXPECT_EQ(attempts, 2);
}

/// Nothing has been read, so the write is no conflict; and the mark of the object stays.
TEST(StmDestroyed, AWriteThatComesLateLeavesTheMark) {
  node* const n = made<node>();
  int attempts = 0;
  stm::atomically([&](transaction& t) {
    ++attempts;
    t.set(*n, &node::key, 2);
    if (attempts == 1)
      std::thread([&] { stm::atomically([&](transaction& u) { u.destroy(n); }); }).join();
  });
  EXPECT_EQ(attempts, 1);
  EXPECT_THROW(stm::atomically([&](transaction& t) { t.destroy(n); }), std::logic_error);
}

TEST(StmDestroyed, IsNotRead) {
  node* const n = made<node>();
  stm::atomically([&](transaction& t) { t.destroy(n); });
  try {
    static_cast<void>(stm::atomically([&](transaction& t) { return t.get(*n, &node::key); }));
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("destroyed"), std::string::npos) << e.what();
  }
}

/// It began before: it is repeated, and does not find the object any more.
TEST(StmDestroyed, WhileAnOlderTransactionHasItIsAConflict) {
  stm::var<node*> v{made<node>()};
  int attempts = 0;
  const long key = stm::atomically([&](transaction& t) {
    node* const n = t.get(v);
    if (++attempts == 1)
      std::thread([&] {
        stm::atomically([&](transaction& u) {
          u.destroy(u.get(v));
          u.set(v, nullptr);
        });
      }).join();
    return n == nullptr ? 7 : t.get(*n, &node::key);
  });
  EXPECT_EQ(key, 7);
  EXPECT_EQ(attempts, 2);
}

}  // namespace
