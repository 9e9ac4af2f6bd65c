// SPDX-License-Identifier: Apache-2.0
// A mapped runtime begins: the program's memory moves while the main thread stands still.
// A program of its own: it stands between the component and the C library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "nopal/mapped.hpp"

namespace {

std::atomic<bool> is_starting{false};
std::atomic<bool> is_moving{false};
std::atomic<long> steps_of_main{0};
bool main_has_run = false;

template <class F>
F* next_of(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The program's own, between the component and the C library.

/// The thread that moves memory calls this first. What the main thread wrote after that might be
/// lost.
extern "C" int dl_iterate_phdr(int (*f)(dl_phdr_info*, std::size_t, void*), void* data) {
  if (is_starting.exchange(false)) {
    constexpr int looks = 100;
    const long before = steps_of_main;
    for (int i = 0; i < looks && !main_has_run; ++i) {
      usleep(1000);
      main_has_run = steps_of_main != before;
    }
    is_moving = true;
  }
  return next_of<int(int (*)(dl_phdr_info*, std::size_t, void*), void*)>("dl_iterate_phdr")(f,
                                                                                            data);
}

/// The main thread calls this when it has started that thread.
extern "C" int pthread_join(pthread_t thread, void** result) {
  while (!is_moving) ++steps_of_main;
  return next_of<int(pthread_t, void**)>("pthread_join")(thread, result);
}

namespace {

TEST(MappedStart, TheMainThreadStandsStill) {
  is_starting = true;
  nopal::mapped::runtime two({.workers = 2});
  EXPECT_EQ(two.run([] { return 7; }), 7);
  EXPECT_TRUE(is_moving) << "dl_iterate_phdr was not called";
  EXPECT_FALSE(main_has_run);
}

}  // namespace
