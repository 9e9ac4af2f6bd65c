// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/thrown.hpp"

#include <cxxabi.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

struct thrown_by_child {
  std::exception_ptr exception;
  std::uint64_t order;
  std::uintptr_t next;
};

namespace {

bool is_end(std::uintptr_t link) noexcept { return (link & 1) != 0; }
thrown_by_child* at(std::uintptr_t link) noexcept {
  return reinterpret_cast<thrown_by_child*>(link);
}

}  // namespace

void thrown_by_children::note(std::exception_ptr e, std::uint64_t order) noexcept {
  void* memory = abi::__cxa_allocate_exception(sizeof(thrown_by_child));
  auto* node = new (memory) thrown_by_child{std::move(e), order, 0};
  NOPAL_ASSERT(!is_end(reinterpret_cast<std::uintptr_t>(node)));
  // Complete before its child arrives, and read only after the last one has: so the list may be
  // broken in between. Pairs with itself, and with take_first().
  node->next = std::atomic_ref(newest_).exchange(reinterpret_cast<std::uintptr_t>(node),
                                                 std::memory_order_acq_rel);
}

std::exception_ptr thrown_by_children::take_first() noexcept {
  std::exception_ptr first;
  std::uint64_t order = 0;
  std::uintptr_t link =
      std::atomic_ref(newest_).load(std::memory_order_acquire);  // pairs with note()
  while (!is_end(link)) {
    NOPAL_ASSERT(link != 0);  // the last child has arrived, so the list is whole
    thrown_by_child* node = at(link);
    if (first == nullptr || node->order <= order) {
      first = std::move(node->exception);
      order = node->order;
    }
    link = node->next;
    std::destroy_at(node);
    abi::__cxa_free_exception(node);
  }
  newest_ = link;
  return first;
}

}  // namespace nopal::detail
