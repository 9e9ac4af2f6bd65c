// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/thrown.hpp"

#include <cxxabi.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// A node with an exception, or with views if it has no exception.
struct thrown_by_child {
  std::exception_ptr exception;
  std::uint64_t order = 0;
  left_views views{};
  std::atomic<std::uintptr_t> next{0};
};

namespace {

bool is_end(std::uintptr_t link) noexcept { return (link & 1) != 0; }
thrown_by_child* at(std::uintptr_t link) noexcept {
  return reinterpret_cast<thrown_by_child*>(link);
}

/// Makes a node for the exception of the child with the number `order`, or, if `e` is nullptr, for
/// the views that children leave. The memory is that of exceptions, which is there even if the heap
/// is exhausted.
thrown_by_child* new_node(std::exception_ptr e, std::uint64_t order) noexcept {
  void* memory = abi::__cxa_allocate_exception(sizeof(thrown_by_child));
  auto* node = new (memory) thrown_by_child{std::move(e), order};
  NOPAL_ASSERT(!is_end(reinterpret_cast<std::uintptr_t>(node)));
  return node;
}

/// Destroys `node`, after the last arrival, and returns what follows it.
std::uintptr_t end_node(thrown_by_child* node) noexcept {
  const std::uintptr_t next = node->next.load(std::memory_order_relaxed);
  NOPAL_ASSERT(next != 0);  // the last child has arrived, so the list is whole
  std::destroy_at(node);
  abi::__cxa_free_exception(node);
  return next;
}

}  // namespace

/// Adds a node as the newest.
void thrown_by_children::add(thrown_by_child* node) noexcept {
  // The node is complete before its child arrives, and the list is read as a whole only after the
  // last child has arrived. So the list may be broken in between. The exchange pairs with itself,
  // with find_views() and with the loads after the last arrival; the store pairs with find_views().
  node->next.store(std::atomic_ref(newest_).exchange(reinterpret_cast<std::uintptr_t>(node),
                                                     std::memory_order_acq_rel),
                   std::memory_order_release);
}

void thrown_by_children::note(std::exception_ptr e, std::uint64_t order) noexcept {
  NOPAL_ASSERT(e != nullptr);
  add(new_node(std::move(e), order));
}

/// Returns the newest node's views that can be reached, or nullptr. The search ends at a node that
/// another thread is just adding, since the way to what was there before is not stored yet.
left_views* thrown_by_children::find_views() noexcept {
  // The acquires pair with add().
  std::uintptr_t link = std::atomic_ref(newest_).load(std::memory_order_acquire);
  while (!is_end(link) && link != 0) {
    if (at(link)->exception == nullptr) return &at(link)->views;
    link = at(link)->next.load(std::memory_order_acquire);
  }
  return nullptr;
}

void thrown_by_children::leave_views(std::uint64_t number) noexcept {
  strand_views* mine = take_views_of_strand();
  const bool nothing_left = is_end(std::atomic_ref(newest_).load(std::memory_order_relaxed));
  if (mine != nullptr || !nothing_left) [[unlikely]]
    leave_block(mine, number);
}

/// The part of leave_views() that is seldom needed: puts `mine` into the list of views, and adds
/// a node for that list if find_views() finds none. If `mine` is nullptr, a block without views
/// takes its place. Several strands may each add a node: take_views() makes one list of all.
void thrown_by_children::leave_block(strand_views* mine, std::uint64_t number) noexcept {
  left_views* views = find_views();
  if (mine == nullptr) {
    // The blocks before and after this segment can be merged only if one lies between them. If
    // nothing has been left, there are none.
    if (views == nullptr || views->looks_empty()) return;
    mine = block_without_views();
    if (mine == nullptr) return;
  }
  if (views == nullptr) {
    thrown_by_child* node = new_node(nullptr, 0);
    views = &node->views;
    add(node);
  }
  views->leave(mine, number);
}

strand_views* thrown_by_children::take_views() noexcept {
  // The acquire pairs with add().
  std::uintptr_t link = std::atomic_ref(newest_).load(std::memory_order_acquire);
  if (is_end(link)) return nullptr;
  strand_views* all = nullptr;
  thrown_by_child* kept = nullptr;  // the last node that stays
  const auto goes_on_with = [&](std::uintptr_t next) {
    if (kept == nullptr)
      newest_ = next;
    else
      kept->next.store(next, std::memory_order_relaxed);
  };
  while (!is_end(link)) {
    thrown_by_child* node = at(link);
    if (node->exception != nullptr) {
      kept = node;
      link = node->next.load(std::memory_order_relaxed);
    } else {
      all = sorted(all, node->views.take());
      link = end_node(node);
      goes_on_with(link);
    }
  }
  return all;
}

std::exception_ptr thrown_by_children::take_first() noexcept {
  std::exception_ptr first;
  std::uint64_t order = 0;
  // Pairs with add().
  std::uintptr_t link = std::atomic_ref(newest_).load(std::memory_order_acquire);
  while (!is_end(link)) {
    thrown_by_child* node = at(link);
    NOPAL_ASSERT(node->exception != nullptr);  // the views have been taken
    if (first == nullptr || node->order <= order) {
      first = std::move(node->exception);
      order = node->order;
    }
    link = end_node(node);
  }
  newest_ = link;
  return first;
}

}  // namespace nopal::detail
