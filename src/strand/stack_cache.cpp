// SPDX-License-Identifier: Apache-2.0
#include "strand/stack_cache.hpp"

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

stack_cache::~stack_cache() {
  for (stack* s = mapped_.load(std::memory_order_relaxed); s != nullptr;) {
    stack* next = s->next_mapped;
    stack::unmap(s);
    s = next;
  }
}

void stack_cache::put(stack* s) noexcept {
  NOPAL_ASSERT(!s->lent());  // a lent stack is its thread's
  s->next_free = take_all();
  put_all(s);
}

stack* stack_cache::get() noexcept {
  stack* s = take_all();
  if (s != nullptr && s->next_free != nullptr) put_all(s->next_free);
  return s;
}

stack* stack_cache::get_from(stack_cache& victim) noexcept {
  if (victim.free_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  stack* s = victim.take_all();
  if (s == nullptr || s->next_free == nullptr) return s;
  stack* last = s->next_free;
  while (last->next_free != nullptr) last = last->next_free;
  last->next_free = take_all();
  put_all(s->next_free);
  return s;
}

stack* stack_cache::map(std::size_t usable_bytes) noexcept {
  stack* s = stack::map(usable_bytes);
  if (s == nullptr) return nullptr;
  s->next_mapped = mapped_.load(std::memory_order_relaxed);
  mapped_.store(s, std::memory_order_release);  // pairs with the acquire load in for_each_mapped()
  return s;
}

}  // namespace nopal::detail
