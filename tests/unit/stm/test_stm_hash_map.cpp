// SPDX-License-Identifier: Apache-2.0
// Hash maps whose keys and values have destructors: each copy is destroyed once, and none while
// somebody may read it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/seed.hpp"

namespace {

namespace stm = nopal::stm;
using nopal_test::random_numbers;
using stm::transaction;
using namespace std::string_literals;
using namespace std::string_view_literals;

/// A number that is copied and counts its copies. It knows its own address, so that one that is
/// copied as bytes, used after its end or destroyed twice is found. It lies in memory of its own,
/// too.
class tracked {
 public:
  static inline std::atomic<int> alive{0}, copies{0};
  static inline std::atomic<int> copies_until_throw{-1};  ///< Negative: no copy throws.

  explicit(false) tracked(int v) : self_(this), value_(std::make_unique<int>(v)) { ++alive; }
  tracked(const tracked& o) : self_(this) {
    if (copies_until_throw >= 0 && copies_until_throw-- == 0) throw std::bad_alloc();
    value_ = std::make_unique<int>(o.value());
    ++copies;
    ++alive;
  }
  tracked& operator=(const tracked&) = delete;
  ~tracked() {
    EXPECT_EQ(self_, this);
    self_ = nullptr;
    --alive;
  }
  [[nodiscard]] int value() const {
    EXPECT_EQ(self_, this);
    return *value_;
  }
  bool operator==(const tracked& o) const { return value() == o.value(); }
  bool operator==(int v) const { return value() == v; }
  auto operator<=>(const tracked& o) const { return value() <=> o.value(); }

 private:
  const tracked* self_;
  std::unique_ptr<int> value_;
};

/// A transparent hash.
struct hash_of_tracked {
  using is_transparent = void;
  std::size_t operator()(const tracked& x) const { return (*this)(x.value()); }
  std::size_t operator()(int v) const { return std::hash<int>{}(v); }
};

/// Nothing is left at the end of a test.
class NoTracked {
 public:
  ~NoTracked() {
    stm::synchronize();
    EXPECT_EQ(tracked::alive, 0);
  }
};

/// Makes a key or a value of a number.
template <class T>
T made(unsigned i) {
  if constexpr (std::is_same_v<T, std::string>)
    return "a string that does not lie in its object, number " + std::to_string(i);
  else
    return T(static_cast<int>(i));
}

// --- against the standard library ----------------------------------------------------------------

template <class K, class V, class Locks, class Hash = typename nopal::detail::key_hash<K>::type>
struct types {
  using key = K;
  using value = V;
  using map = stm::hash_map<K, V, Hash, std::equal_to<>, Locks>;
};
template <class T>
class StmHashMap : public testing::Test {
  NoTracked nothing_left_;

 protected:
  random_numbers random_{nopal_test::seed_or(71)};
};
using word = stm::word_lock;
using table = stm::lock_table<10, 3>;
using all_types =
    testing::Types<types<std::string, int, stm::inline_lock>, types<std::string, int, table>,
                   types<int, std::string, stm::inline_lock>, types<int, std::string, word>,
                   types<std::string, std::string, stm::inline_lock>,
                   types<std::string, std::string, word>, types<std::string, std::string, table>,
                   types<tracked, tracked, stm::inline_lock, hash_of_tracked>,
                   types<tracked, tracked, word, hash_of_tracked>,
                   types<tracked, tracked, table, hash_of_tracked>>;
TYPED_TEST_SUITE(StmHashMap, all_types);

/// Changes a map and one of the standard library likewise.
/// \returns whether both say the same.
template <class Map, class K, class V>
bool change(transaction& t, Map& m, std::map<K, V>& expected, unsigned what, const K& key,
            const V& value) {
  switch (what) {
    case 0: {
      const bool is_new = expected.erase(key) == 0;
      expected.emplace(key, value);
      return m.set(t, key, value) == is_new;
    }
    case 1:
      return m.insert(t, key, value) == expected.emplace(key, value).second;
    case 2:
      return m.erase(t, key) == (expected.erase(key) == 1);
    default: {
      const auto at = expected.find(key);
      const auto found = m.find(t, key);
      return at == expected.end() ? !found : found == at->second;
    }
  }
}

/// Does it for values that cannot be assigned.
template <class K, class V>
void assign(std::map<K, V>& to, const std::map<K, V>& from) {
  to.clear();
  for (const auto& [k, v] : from) to.emplace(k, v);
}

/// Each transaction makes some changes. Some attempts are undone, as a whole or in a part.
TYPED_TEST(StmHashMap, DoesWhatThatOfTheStandardLibraryDoes) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  typename TypeParam::map m(5);
  std::map<key, value> expected;
  random_numbers& random = this->random_;
  for (int i = 0; i < 1000; ++i) {
    const bool throws = random.one_in(4);
    const bool undoes_part = random.one_in(4);
    std::map<key, value> changed;
    const auto change_some = [&](transaction& t) {
      for (unsigned k = random.below(6); k > 0; --k)
        EXPECT_TRUE(change(t, m, changed, random.below(4), made<key>(random.below(20)),
                           made<value>(random.below(1000))));
    };
    const auto body = [&](transaction& t) {
      assign(changed, expected);
      change_some(t);
      if (undoes_part) {
        const std::map<key, value> before = changed;
        t.or_else(
            [&](transaction& u) {
              change_some(u);
              u.retry();
            },
            [&](transaction&) { assign(changed, before); });
        EXPECT_THROW(t.nested([&](transaction& u) {
          change_some(u);
          throw 1;
        }),
                     int);
        assign(changed, before);
      }
      change_some(t);
      if (throws) throw 1;
    };
    if (throws) {
      EXPECT_THROW(stm::atomically(body), int);
    } else {
      stm::atomically(body);
      expected.swap(changed);
    }
  }
  std::map<key, value> all;
  stm::atomically([&](transaction& t) {
    all.clear();
    m.for_each(t, [&](const key& k, const value& v) { EXPECT_TRUE(all.emplace(k, v).second); });
  });
  EXPECT_EQ(all, expected);
}

TYPED_TEST(StmHashMap, ReplacesInOneTransaction) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  typename TypeParam::map m;
  stm::atomically([&](transaction& t) {
    const key k = made<key>(1);
    EXPECT_TRUE(m.set(t, k, made<value>(1)));
    EXPECT_FALSE(m.set(t, k, made<value>(2)));
    EXPECT_FALSE(m.set(t, k, made<value>(3)));
    EXPECT_EQ(m.find(t, k), made<value>(3));
    EXPECT_TRUE(m.erase(t, k));
    EXPECT_FALSE(m.erase(t, k));
    EXPECT_EQ(m.find(t, k), std::nullopt);
    EXPECT_TRUE(m.insert(t, k, made<value>(4)));
    EXPECT_FALSE(m.insert(t, k, made<value>(5)));
  });
  stm::atomically([&](transaction& t) {
    EXPECT_EQ(m.find(t, made<key>(1)), made<value>(4));
    m.set(t, made<key>(1), made<value>(6));
    m.erase(t, made<key>(1));
  });
}

// --- what copies throw ---------------------------------------------------------------------------

using tracked_map = stm::hash_map<tracked, tracked, hash_of_tracked>;

/// Calls f(t) with the first copy throwing, then the second, and so on, until it throws no more.
/// \returns how many calls have thrown.
template <class F>
int throws_at_each_copy(const tracked_map& m, F&& f) {
  const auto contents = [&] {
    return stm::atomically([&](transaction& t) {
      std::map<int, int> all;
      m.for_each(t, [&](const tracked& k, const tracked& v) { all[k.value()] = v.value(); });
      return all;
    });
  };
  const std::map<int, int> before = contents();
  for (int n = 0;; ++n) {
    tracked::copies_until_throw = n;
    try {
      stm::atomically(f);
      tracked::copies_until_throw = -1;
      return n;
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(contents(), before);
    stm::synchronize();
    EXPECT_EQ(tracked::alive, static_cast<int>(2 * before.size()));
  }
}

TEST(StmHashMapExceptions, OfCopiesLeaveTheMapUnchanged) {
  NoTracked nothing_left;
  tracked_map m(1);
  EXPECT_EQ(throws_at_each_copy(m, [&](transaction& t) { m.set(t, tracked(1), 1); }), 2);
  EXPECT_EQ(throws_at_each_copy(m, [&](transaction& t) { m.set(t, 1, 2); }), 1);
  EXPECT_EQ(throws_at_each_copy(m, [&](transaction& t) { static_cast<void>(m.find(t, 1)); }), 1);
  EXPECT_EQ(throws_at_each_copy(m, [&](transaction& t) { m.insert(t, 1, 3); }), 0);
  EXPECT_EQ(throws_at_each_copy(m,
                                [&](transaction& t) {
                                  m.erase(t, 1);
                                  m.set(t, tracked(2), 2);
                                  m.set(t, 2, 3);
                                  m.set(t, tracked(3), 3);
                                }),
            5);
}

TEST(StmHashMapExceptions, OfCopiesUndoAPart) {
  NoTracked nothing_left;
  tracked_map m(1);
  stm::atomically([&](transaction& t) {
    m.set(t, 1, 1);
    tracked::copies_until_throw = 1;
    EXPECT_THROW(t.nested([&](transaction& u) {
      m.set(u, 1, 2);
      m.set(u, 1, 3);
    }),
                 std::bad_alloc);
    EXPECT_EQ(m.find(t, 1), 1);
  });
  stm::atomically([&](transaction& t) { EXPECT_EQ(m.find(t, 1), 1); });
}

TEST(StmHashMapExceptions, OfCopiesThatTheBodyCatchesChangeNothing) {
  NoTracked nothing_left;
  tracked_map m(1);
  stm::atomically([&](transaction& t) { m.set(t, 1, 1); });
  stm::atomically([&](transaction& t) {
    tracked::copies_until_throw = 0;
    EXPECT_THROW(m.set(t, 1, 2), std::bad_alloc);
    tracked::copies_until_throw = 1;
    EXPECT_THROW(m.set(t, tracked(2), 2), std::bad_alloc);
  });
  stm::atomically([&](transaction& t) {
    EXPECT_EQ(m.find(t, 1), 1);
    EXPECT_EQ(m.find(t, 2), std::nullopt);
  });
}

// --- how keys are found --------------------------------------------------------------------------

TEST(StmHashMapKeys, OfATransparentHashAreFoundWithoutACopy) {
  NoTracked nothing_left;
  tracked_map m(1);
  stm::atomically([&](transaction& t) {
    EXPECT_TRUE(m.set(t, 1, 1));
    const tracked value(2);
    tracked::copies = 0;
    EXPECT_FALSE(m.insert(t, 1, value));
    EXPECT_EQ(tracked::copies, 0);
    EXPECT_FALSE(m.set(t, 1, value));
    EXPECT_EQ(tracked::copies, 1) << "of the value";
    EXPECT_TRUE(m.erase(t, 1));
    EXPECT_EQ(tracked::copies, 1);
  });
}

struct hash_of_length {
  std::size_t operator()(const std::string& s) const { return s.size(); }
};

template <class Map, bool FindsViews>
void expect_finds_strings() {
  Map m;
  stm::atomically([&](transaction& t) {
    EXPECT_TRUE(m.set(t, "one", 1));
    EXPECT_FALSE(m.set(t, "one"s, 2));
    EXPECT_TRUE(m.insert(t, {}, 3));
    const std::array<char, 4> array{"one"};
    EXPECT_EQ(m.find(t, "one"), 2);
    EXPECT_EQ(m.find(t, array.data()), 2);
    EXPECT_EQ(m.find(t, "one"s), 2);
    EXPECT_EQ(m.find(t, ""), 3);
    EXPECT_EQ(m.find(t, "on"), std::nullopt);
    if constexpr (FindsViews) {
      EXPECT_EQ(m.find(t, "one and more"sv.substr(0, 3)), 2);
      EXPECT_FALSE(m.insert(t, "one"sv, 1));
      EXPECT_TRUE(m.insert(t, "two"sv, 1));
      EXPECT_EQ(m.find(t, "two"s), 1);
      EXPECT_TRUE(m.erase(t, "two"sv));
    }
    EXPECT_TRUE(m.erase(t, "one"));
    EXPECT_FALSE(m.erase(t, "one"));
  });
}

TEST(StmHashMapKeys, OfStringsAreFoundByWhateverIsAString) {
  expect_finds_strings<stm::hash_map<std::string, int>, true>();
  expect_finds_strings<stm::hash_map<std::string, int, std::hash<std::string>>, false>();
  expect_finds_strings<stm::hash_map<std::string, int, hash_of_length, std::equal_to<std::string>>,
                       false>();
}

TEST(StmHashMapKeys, OfOtherStringsAreFoundByViews) {
  stm::hash_map<std::u16string, std::string> m;
  stm::atomically([&](transaction& t) {
    m.set(t, u"one", "1");
    EXPECT_EQ(m.find(t, u"one"sv), "1");
  });
}

TEST(StmHashMapKeys, AreConvertedAsBefore) {
  stm::hash_map<long, std::string> m;
  stm::atomically([&](transaction& t) {
    m.set(t, 'a', "a");
    EXPECT_EQ(m.find(t, 97), "a");
  });
}

// --- who reads while others change ---------------------------------------------------------------

/// Destroys more than is kept before it is looked whether some can be freed.
void destroy_many(tracked_map& m) {
  for (int i = 0; i < 500; ++i) stm::atomically([&](transaction& t) { m.set(t, -1, i); });
}

template <class F>
void expect_kept_while_read(F&& others) {
  NoTracked nothing_left;
  tracked_map m(8);
  stm::atomically([&](transaction& t) { m.set(t, 1, 1); });
  bool first = true;
  int read = 0;
  stm::atomically([&](transaction& t) {
    m.for_each(t, [&](const tracked& k, const tracked& v) {
      if (k != 1) return;
      if (std::exchange(first, false)) std::thread([&] { others(m); }).join();
      read = k.value() + v.value();  // nothing is freed that this refers to
    });
  });
  EXPECT_EQ(read, 2);
}

TEST(StmHashMapReaders, KeepWhatOthersReplace) {
  expect_kept_while_read([](tracked_map& m) {
    stm::atomically([&](transaction& t) { m.set(t, 1, 2); });
    destroy_many(m);
  });
}

TEST(StmHashMapReaders, KeepWhatOthersErase) {
  expect_kept_while_read([](tracked_map& m) {
    stm::atomically([&](transaction& t) { m.erase(t, 1); });
    destroy_many(m);
  });
}

/// Whoever has read a value that was replaced comes to nothing, and destroys nothing.
TEST(StmHashMapReaders, OfAnOldValueReplaceTheNewOne) {
  NoTracked nothing_left;
  tracked_map m(8);
  stm::atomically([&](transaction& t) { m.set(t, 1, 1); });
  int attempts = 0;
  stm::atomically([&](transaction& t) {
    const int before = m.find(t, 1)->value();
    m.set(t, 1, before + 10);
    if (++attempts > 1) return;
    std::thread([&] {
      stm::atomically([&](transaction& u) { m.set(u, 1, 2); });
      destroy_many(m);
    }).join();
  });
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(stm::atomically([&](transaction& t) { return m.find(t, 1)->value(); }), 12);
}

/// A string of which each part tells its number.
std::string text(unsigned n) {
  std::string all;
  for (int i = 0; i < 8; ++i) all += std::to_string(n) + ' ';
  return all;
}

template <class Locks>
class StmHashMapOfMany : public testing::Test {
  NoTracked nothing_left_;
};
using policies = testing::Types<stm::inline_lock, word, table>;
TYPED_TEST_SUITE(StmHashMapOfMany, policies);

/// Strands on four workers, and threads, change two maps alike, and compare them. A key that is in
/// one is in the other, and the values belong together.
TYPED_TEST(StmHashMapOfMany, ReadersSeeWholeValues) {
  constexpr unsigned keys = 8, rounds = 3000;
  stm::hash_map<std::string, std::string, nopal::detail::key_hash<std::string>::type,
                std::equal_to<>, TypeParam>
      texts(3);
  stm::hash_map<int, tracked, std::hash<int>, std::equal_to<>, TypeParam> numbers(3);
  const auto change_one = [&](transaction& t, unsigned key, unsigned what, unsigned value) {
    if (what < 2) {
      EXPECT_EQ(texts.erase(t, text(key)), numbers.erase(t, static_cast<int>(key)));
    } else {
      EXPECT_EQ(texts.set(t, text(key), text(value)),
                numbers.set(t, static_cast<int>(key), static_cast<int>(value)));
    }
  };
  const auto compare = [&](transaction& t, unsigned key) {
    const auto s = texts.find(t, text(key));
    const auto n = numbers.find(t, static_cast<int>(key));
    EXPECT_EQ(s.has_value(), n.has_value());
    if (s && n) {
      EXPECT_EQ(*s, text(static_cast<unsigned>(n->value())));
    }
  };
  const auto compare_all = [&](transaction& t) {
    int balance = 0;
    texts.for_each(t, [&](const std::string& k, const std::string& v) {
      ++balance;
      EXPECT_EQ(k, text(static_cast<unsigned>(std::stoul(k))));
      EXPECT_EQ(v, text(static_cast<unsigned>(std::stoul(v))));
    });
    numbers.for_each(t, [&](int, const tracked& v) {
      --balance;
      EXPECT_GE(v.value(), 0);
    });
    EXPECT_EQ(balance, 0);
  };
  const auto work = [&](unsigned i) {
    random_numbers random(nopal_test::seed_or(72) + i);
    const unsigned key = random.below(keys), what = random.below(8), value = random.below(1000);
    const bool gives_up = random.one_in(8);
    try {
      stm::atomically([&](transaction& t) {
        if (what == 7)
          compare_all(t);
        else if (what > 3)
          compare(t, key);
        else
          change_one(t, key, what, value);
        if (gives_up) throw 1;
      });
    } catch (int) {
    }
  };
  {
    nopal::runtime four({.workers = 4});
    std::jthread no_worker([&] {
      for (unsigned i = 0; i < rounds; ++i) work(i);
    });
    four.run([&] { nopal::for_each(rounds, 5 * rounds, work); });
  }
  stm::atomically(compare_all);
}

}  // namespace
