// SPDX-License-Identifier: Apache-2.0
// What transactions allocate while nothing that they destroy can be freed.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
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

}  // namespace
