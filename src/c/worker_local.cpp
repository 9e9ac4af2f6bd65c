// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/worker_local.h"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "c/error.hpp"
#include "nopal/async/worker_local.hpp"

using nopal::detail::c_argument;

/// The blocks are in a list, since nopal::worker_local combines copies of its values and does not
/// show the values themselves.
struct nopal_worker_local {
  explicit nopal_worker_local(std::size_t n) : bytes(n) {}
  ~nopal_worker_local() {
    while (first != nullptr) {
      links* const l = std::exchange(first, first->next);
      ::operator delete(l, alignment);
    }
  }
  nopal_worker_local(const nopal_worker_local&) = delete;
  nopal_worker_local& operator=(const nopal_worker_local&) = delete;

  struct alignas(nopal::detail::cache_line) links {
    links* next;
    void* block() noexcept { return this + 1; }
  };
  static constexpr std::align_val_t alignment{alignof(links)};

  /// Makes a block. Several workers may call this at a time.
  links* make() {
    if (bytes > SIZE_MAX - sizeof(links)) throw std::bad_alloc();
    auto* const l = new (::operator new(sizeof(links) + bytes, alignment)) links;
    std::memset(l->block(), 0, bytes);
    const std::lock_guard lock(mutex);
    l->next = first;
    return first = l;
  }

  const std::size_t bytes;
  std::mutex mutex;
  links* first = nullptr;
  nopal::worker_local<links*> of_worker{[this] { return make(); }};
};

int nopal_worker_local_create(size_t bytes, nopal_worker_local** made) {
  if (bytes == 0 || made == nullptr)
    return c_argument("nopal_worker_local_create",
                      "the number of bytes is 0, or the place of the result is NULL");
  return nopal::detail::c_call([&] { *made = new nopal_worker_local(bytes); });
}

int nopal_worker_local_with(nopal_worker_local* l, nopal_local_function f, void* argument) {
  if (l == nullptr || f == nullptr)
    return c_argument("nopal_worker_local_with", "the worker-local memory or the function is NULL");
  return nopal::detail::c_call_through(
      [&](auto&& call) {
        l->of_worker.with([&](nopal_worker_local::links* mine) { call(mine->block()); });
      },
      [&](void* block) { f(block, argument); });
}

int nopal_worker_local_each(nopal_worker_local* l, nopal_local_function f, void* argument) {
  if (l == nullptr || f == nullptr)
    return c_argument("nopal_worker_local_each", "the worker-local memory or the function is NULL");
  return nopal::detail::c_call_through([](auto&& call) { call(); },
                                       [&] {
                                         for (nopal_worker_local::links* b = l->first; b != nullptr;
                                              b = b->next)
                                           f(b->block(), argument);
                                       });
}

int nopal_worker_local_destroy(nopal_worker_local* l) {
  if (l == nullptr)
    return c_argument("nopal_worker_local_destroy", "the worker-local memory is NULL");
  delete l;
  return 0;
}
