// SPDX-License-Identifier: Apache-2.0
// The order of two calls tells the end of the process from an unloading. exit(3) calls what
// atexit(3) has registered in a shared object, and later, when nothing else is left, the functions
// of its .fini_array. dlclose(3) calls those of .fini_array, and the last of them, the compiler's
// own, calls what atexit(3) has registered.
#include "platform/unloading/at_unloading.hpp"

#include <atomic>
#include <cstdlib>

namespace nopal::detail {
namespace {

constinit std::atomic<at_unloading*> noted{nullptr};

constinit bool static_objects_are_gone = false;
constinit bool fini_array_comes_first = false;

}  // namespace

void at_unloading::note() noexcept {
  if (std::atomic_ref(noted_).exchange(true, std::memory_order_relaxed)) return;
  next_ = noted.load(std::memory_order_relaxed);
  // Pairs with unload().
  while (!noted.compare_exchange_weak(next_, this, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

/// Calls all functions that were noted, step by step.
void unload(bool process_ends) noexcept {
  using enum unloading_step;
  for (const unloading_step s : {runtimes, workers, io, threads, memory, handlers})
    // Pairs with note().
    for (at_unloading* a = noted.load(std::memory_order_acquire); a != nullptr; a = a->next_)
      if (a->step_ == s) a->call_(process_ends);
}

namespace {

void after_static_objects() {
  static_objects_are_gone = true;
  if (fini_array_comes_first) unload(false);
}

[[gnu::destructor]] void by_fini_array() {
  fini_array_comes_first = true;
  if (static_objects_are_gone) unload(true);
}

/// Runs before static objects are made, so that their destructors come first.
[[gnu::constructor(101)]] void register_end() { std::atexit(after_static_objects); }

}  // namespace
}  // namespace nopal::detail
