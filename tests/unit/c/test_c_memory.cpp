// SPDX-License-Identifier: Apache-2.0
// Without memory a function of C returns ENOMEM, and has done nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>

#include "nopal/nopal.h"

namespace {

/// How many allocations of this thread are left; negative: as many as wanted.
thread_local long allocations_left = -1;

bool may_allocate() {
  if (allocations_left < 0) return true;
  if (allocations_left == 0) return false;
  --allocations_left;
  return true;
}

void* allocate(std::size_t size, std::size_t align) {
  void* p = nullptr;
  if (!may_allocate() || posix_memalign(&p, align, size) != 0) throw std::bad_alloc();
  return p;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
  return allocate(size, static_cast<std::size_t>(align));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace {

/// Calls f() with ever more allocations until it succeeds. Returns how often it had none.
int failures_before_success(const std::function<int()>& f) {
  for (int n = 0;; ++n) {
    allocations_left = n;
    const int error = f();
    allocations_left = -1;
    if (error == 0) return n;
    EXPECT_EQ(error, ENOMEM);
    if (n == 100) return -1;
  }
}

void count(void* n) { static_cast<std::atomic<int>*>(n)->fetch_add(1); }
void count_numbered(void* n, unsigned /*number*/) { count(n); }
void use(void* /*block*/, void* /*argument*/) {}

TEST(CMemory, HandlesAreMadeOrNot) {
  nopal_scope* s = nullptr;
  EXPECT_EQ(nopal_run(nullptr, [](void*) {}, nullptr), 0);  // the default runtime has its memory
  EXPECT_GT(failures_before_success([&] { return nopal_scope_create(nullptr, &s); }), 0);
  EXPECT_EQ(nopal_scope_destroy(s), 0);
  nopal_worker_local* l = nullptr;
  EXPECT_GT(failures_before_success([&] { return nopal_worker_local_create(8, &l); }), 0);
  EXPECT_GT(failures_before_success([&] { return nopal_worker_local_with(l, use, nullptr); }), 0);
  EXPECT_EQ(nopal_worker_local_destroy(l), 0);
  nopal_pool* p = nullptr;
  EXPECT_GT(failures_before_success([&] { return nopal_pool_create(1, 1, 0, &p); }), 0);
  nopal_producer* in = nullptr;
  nopal_consumer* out = nullptr;
  EXPECT_GT(failures_before_success([&] { return nopal_producer_create(p, &in); }), 0);
  EXPECT_GT(failures_before_success([&] { return nopal_consumer_create(p, &out); }), 0);
  EXPECT_EQ(nopal_producer_destroy(in), 0);
  EXPECT_EQ(nopal_consumer_destroy(out), 0);
  EXPECT_EQ(nopal_pool_destroy(p), 0);
}

TEST(CMemory, ATeamIsStartedOrNot) {
  std::atomic<int> n{0};
  nopal_countdown done;
  EXPECT_EQ(nopal_run(nullptr, [](void*) {}, nullptr), 0);
  EXPECT_EQ(nopal_countdown_init(&done, 5), 0);
  EXPECT_GE(failures_before_success(
                [&] { return nopal_infect_with(nullptr, 5, count_numbered, &n, &done); }),
            5);
  EXPECT_EQ(nopal_countdown_wait(&done, NOPAL_FOREVER), 0);
  EXPECT_EQ(n.load(), 5);
  EXPECT_EQ(nopal_countdown_add(&done, 1), 0);
  EXPECT_GT(failures_before_success([&] { return nopal_start(nullptr, count, &n, &done); }), 0);
  EXPECT_EQ(nopal_countdown_wait(&done, NOPAL_FOREVER), 0);
  EXPECT_EQ(n.load(), 6);
}

TEST(CMemory, AClaimIsMadeOrNot) {
  nopal_options o;
  ASSERT_EQ(nopal_options_init(&o, sizeof o), 0);
  o.workers = 2;
  nopal_runtime* r = nullptr;
  ASSERT_EQ(nopal_runtime_create(&o, &r), 0);
  nopal_claim* c = nullptr;
  EXPECT_GT(failures_before_success([&] { return nopal_invade(r, nullptr, &c); }), 0);
  unsigned n = 0;
  EXPECT_EQ(nopal_claim_workers(c, &n), 0);
  EXPECT_EQ(n, 1U);
  EXPECT_EQ(nopal_retreat(c), 0);
  EXPECT_EQ(nopal_runtime_destroy(r), 0);
}

}  // namespace
