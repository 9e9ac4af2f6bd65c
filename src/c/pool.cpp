// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/pool.h"

#include <atomic>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "c/error.hpp"
#include "nopal/pool.hpp"

using nopal::detail::c_argument;
using nopal::detail::c_call;
using nopal::detail::c_error;

struct nopal_pool {
  explicit nopal_pool(const nopal::pool_options& o) : pointers(o) {}
  nopal::pool<void*> pointers;
  std::atomic<unsigned> handles{0};
};

struct nopal_producer {
  explicit nopal_producer(nopal_pool& p) : of(p), handle(p.pointers.producer()) {
    of.handles.fetch_add(1, std::memory_order_relaxed);
  }
  nopal_pool& of;
  nopal::pool_producer<void*> handle;
};

struct nopal_consumer {
  explicit nopal_consumer(nopal_pool& p) : of(p), handle(p.pointers.consumer()) {
    of.handles.fetch_add(1, std::memory_order_relaxed);
  }
  nopal_pool& of;
  nopal::pool_consumer<void*> handle;
};

namespace {

/// Ends a handle. The pool may be destroyed as soon as that is counted.
template <class Handle>
int destroy(Handle* h) noexcept {
  nopal_pool& of = h->of;
  delete h;
  of.handles.fetch_sub(1, std::memory_order_release);  // pairs with nopal_pool_destroy()
  return 0;
}

}  // namespace

int nopal_pool_create(unsigned producers, unsigned consumers, uint32_t chunk, nopal_pool** made) {
  if (made == nullptr) return c_argument("nopal_pool_create", "the place of the pool is NULL");
  return c_call([&] {
    nopal::pool_options o;
    o.producers = producers;
    o.consumers = consumers;
    if (chunk != 0) o.chunk = chunk;
    *made = new nopal_pool(o);
  });
}

int nopal_pool_destroy(nopal_pool* p) {
  if (p == nullptr) return c_argument("nopal_pool_destroy", "the pool is NULL");
  if (p->handles.load(std::memory_order_acquire) != 0)  // pairs with destroy()
    return c_error(EBUSY,
                   "nopal: nopal_pool_destroy: there are producers or consumers of the pool; "
                   "destroy them first");
  delete p;
  return 0;
}

int nopal_pool_close(nopal_pool* p) {
  if (p == nullptr) return c_argument("nopal_pool_close", "the pool is NULL");
  p->pointers.close();
  return 0;
}

int nopal_producer_create(nopal_pool* p, nopal_producer** made) {
  if (p == nullptr || made == nullptr)
    return c_argument("nopal_producer_create", "the pool or the place of the handle is NULL");
  return c_call([&] { *made = new nopal_producer(*p); });
}

int nopal_producer_destroy(nopal_producer* in) {
  if (in == nullptr) return c_argument("nopal_producer_destroy", "the producer is NULL");
  return destroy(in);
}

int nopal_consumer_create(nopal_pool* p, nopal_consumer** made) {
  if (p == nullptr || made == nullptr)
    return c_argument("nopal_consumer_create", "the pool or the place of the handle is NULL");
  return c_call([&] { *made = new nopal_consumer(*p); });
}

int nopal_consumer_destroy(nopal_consumer* out) {
  if (out == nullptr) return c_argument("nopal_consumer_destroy", "the consumer is NULL");
  return destroy(out);
}

int nopal_put(nopal_producer* in, void* element) {
  if (in == nullptr) return c_argument("nopal_put", "the producer is NULL");
  bool open = true;
  const int error = c_call([&] { open = in->handle.try_put(static_cast<void*&&>(element)); });
  return error != 0 || open ? error : c_error(EPIPE, "nopal: nopal_put: the pool is closed");
}

int nopal_get(nopal_consumer* out, void** element) {
  if (out == nullptr || element == nullptr)
    return c_argument("nopal_get", "the consumer or the place of the pointer is NULL");
  std::optional<void*> got;
  if (const int error = c_call([&] { got = out->handle.get(); })) return error;
  if (!got.has_value()) return c_error(EAGAIN, "nopal: nopal_get: the pool is empty");
  *element = *got;
  return 0;
}

int nopal_get_wait(nopal_consumer* out, int64_t within, void** element) {
  if (out == nullptr || element == nullptr)
    return c_argument("nopal_get_wait", "the consumer or the place of the pointer is NULL");
  std::optional<void*> got;
  const int error = c_call([&] { got = out->handle.wait(nopal::detail::c_limits(within)); });
  if (error != 0) return error;
  if (!got.has_value())
    return c_error(EPIPE, "nopal: nopal_get_wait: the pool is closed and empty");
  *element = *got;
  return 0;
}
