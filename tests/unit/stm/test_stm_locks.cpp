// SPDX-License-Identifier: Apache-2.0
// What a transaction reads and writes, wherever the locks lie.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "nopal/stm.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

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
  EXPECT_EQ(v.value(), 1);
  EXPECT_EQ(l.value(), (long_value{1, 2, 3}));
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
  EXPECT_EQ(v.value(), 2);
  EXPECT_EQ(w.value(), 1);
  EXPECT_EQ(x.value(), 7);
  EXPECT_EQ(l.value(), (long_value{2, 2, 2}));
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

}  // namespace
