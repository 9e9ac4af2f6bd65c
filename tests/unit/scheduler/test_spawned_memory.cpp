// SPDX-License-Identifier: Apache-2.0
// A second queue for whose growth there is no memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "nopal/async.hpp"
#include "nopal/runtime.hpp"

namespace {

/// An allocation of this thread of this size, or a larger one, fails. Nothing suspends while it is
/// set, so that the strand that sets it stays on its thread.
thread_local std::size_t too_much = SIZE_MAX;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (bytes >= too_much) throw std::bad_alloc();
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

TEST(SpawnedMemory, AQueueThatCannotGrowLosesNothing) {
  for (const unsigned workers : {1U, 3U}) {
    nopal::runtime r({.workers = workers});
    std::atomic<unsigned> ran{0};
    r.run([&] {
      nopal::task_scope s;
      too_much = 1024;  // enough for a function, and not for an array of more of them
      for (int i = 0; i < 5000; ++i) s.spawn([&] { ++ran; });
      too_much = SIZE_MAX;
      s.join();
    });
    EXPECT_EQ(ran.load(), 5000U);
  }
}

TEST(SpawnedMemory, WithoutMemoryForTheFunctionNothingIsSpawned) {
  nopal::runtime r({.workers = 2});
  r.run([&] {
    nopal::task_scope s;
    std::atomic<bool> ran{false};
    too_much = 1;
    unsigned refused = 0;
    const auto refuses = [&](auto&& spawn) {
      try {
        spawn();
      } catch (const std::bad_alloc&) {
        ++refused;
      }
    };
    refuses([&] { s.spawn([&] { ran = true; }); });
    refuses([&] { s.spawn(nopal::near(0), [&] { ran = true; }); });
    refuses([&] { static_cast<void>(s.async([&] { ran = true; })); });
    refuses([&] { r.spawn_detached([&] { ran = true; }); });
    refuses([&] { const nopal::task_scope none; });
    too_much = SIZE_MAX;
    s.join();
    EXPECT_EQ(refused, 5U);
    EXPECT_FALSE(ran);
  });
}

}  // namespace
