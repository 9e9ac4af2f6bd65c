// SPDX-License-Identifier: Apache-2.0
// What transactions allocate while nothing that they destroy can be freed, and to find keys.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "nopal/stm.hpp"

namespace {

/// Bytes that this thread has allocated.
thread_local std::size_t allocated = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocated += bytes;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

namespace stm = nopal::stm;

struct node : stm::object<> {};

/// In bytes for each of `n` nodes, each made and destroyed while an older transaction runs.
std::size_t allocated_for_each_of(std::size_t n) {
  stm::var<int> v{0};
  std::size_t bytes = 0;
  stm::atomically([&](stm::transaction& t) {
    static_cast<void>(t.get(v));
    std::thread([&] {
      for (std::size_t i = 0; i < n; ++i)
        stm::atomically([](stm::transaction& u) { u.destroy(u.make<node>()); });
      bytes = allocated;
    }).join();
  });
  stm::synchronize();
  return bytes / n;
}

TEST(StmMemory, WhatWaitsToBeFreedGrowsLinearly) {
  EXPECT_LT(allocated_for_each_of(20000), 1000U) << "if all were moved each time: 240,000";
}

void make_and_destroy(int n) {
  for (int i = 0; i < n; ++i)
    stm::atomically([](stm::transaction& t) { t.destroy(t.make<node>()); });
}

TEST(StmMemory, OfWhatWasDestroyedIsUsedAgain) {
  if (NOPAL_ASAN) GTEST_SKIP() << "memory is freed, so that its use is found";
  make_and_destroy(1000);
  const std::size_t before = allocated;
  make_and_destroy(10000);
  EXPECT_LT(allocated - before, 10000 * sizeof(node) / 4);
}

TEST(StmMemory, OfObjectsWhoseConstructorThrowsIsUsedAgain) {
  if (NOPAL_ASAN) GTEST_SKIP() << "memory is freed, so that its use is found";
  struct throws : stm::object<> {
    throws() { throw 1; }
  };
  const auto make = [] { stm::atomically([](stm::transaction& t) { return t.make<throws>(); }); };
  const std::size_t before = allocated;
  for (int i = 0; i < 1000; ++i) EXPECT_THROW(make(), int);
  EXPECT_LT(allocated - before, 1000 * sizeof(throws) / 4);
}

TEST(StmMemory, AStringKeyIsFoundByAViewWithoutAString) {
  constexpr std::string_view key = "a key that does not lie in its string";
  const std::string value = "a value that does not lie in its string";
  stm::hash_map<std::string, std::string> m(1);
  stm::atomically([&](stm::transaction& t) { m.set(t, key, value); });
  const auto use = [&] {
    stm::atomically([&](stm::transaction& t) {
      EXPECT_FALSE(m.insert(t, key, value));
      EXPECT_FALSE(m.erase(t, key.substr(1)));
      EXPECT_FALSE(m.find(t, key.data() + 1).has_value());
    });
  };
  use();  // the log of the transaction grows
  const std::size_t before = allocated;
  use();
  EXPECT_EQ(allocated, before);
}

struct with_its_own : stm::object<> {
  static inline int news = 0, deletes = 0;
  static void* operator new(std::size_t n) {
    ++news;
    return ::operator new(n);
  }
  static void operator delete(void* p) noexcept {
    ++deletes;
    ::operator delete(p);
  }
};

TEST(StmMemory, AClassAllocatesItself) {
  for (int i = 0; i < 10; ++i)
    stm::atomically([](stm::transaction& t) { t.destroy(t.make<with_its_own>()); });
  stm::synchronize();
  EXPECT_EQ(with_its_own::news, 10);
  EXPECT_EQ(with_its_own::deletes, 10);
}

struct base : stm::object<> {
  virtual ~base() = default;
};
struct derived : base {
  explicit derived(bool& e) : ended(e) {}
  ~derived() override { ended = true; }
  bool& ended;
  char more[64] = {};
};

TEST(StmMemory, ABaseIsDestroyed) {
  bool ended = false;
  stm::atomically([&](stm::transaction& t) {
    base* b = t.make<derived>(ended);
    t.destroy(b);
  });
  stm::synchronize();
  EXPECT_TRUE(ended);
  static_assert(!nopal::detail::block_cache::is_for<base>);
  static_assert(!nopal::detail::block_cache::is_for<with_its_own>);
}

}  // namespace
