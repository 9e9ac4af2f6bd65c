// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/join/left_views.hpp"

#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "strand/events.hpp"

namespace nopal::detail {
namespace {

class no_views final : public strand_views {
 public:
  // product() never calls this.
  void absorb(strand_views* right) noexcept override { delete right; }
  void drop() noexcept override {}
  [[nodiscard]] bool empty() const noexcept override { return true; }
};

/// Merges `left` and `right`, which follow each other, and consumes both.
strand_views* product(strand_views* left, strand_views* right) noexcept {
  const std::uint64_t from = left->from;
  const std::uint64_t to = right->to;
  const bool thrown = left->thrown || right->thrown;
  if (left->thrown) right->drop();
  if (left->empty())
    delete std::exchange(left, right);
  else if (right->empty())
    delete right;
  else
    left->absorb(right);
  left->thrown = thrown;
  left->next = nullptr;
  left->from = from;
  left->to = to;
  return left;
}

bool are_neighbours(const strand_views& left, const strand_views* right) noexcept {
  return right != nullptr && left.to + 1 == right->from;
}

/// Takes all blocks that have a neighbour out of a sorted list. Returns them as a list.
strand_views* take_neighbours(strand_views*& list) noexcept {
  strand_views* taken = nullptr;
  strand_views** end = &taken;
  for (strand_views** at = &list; *at != nullptr;) {
    strand_views* last = *at;
    while (are_neighbours(*last, last->next)) last = last->next;
    if (last == *at) {
      at = &last->next;
      continue;
    }
    *end = std::exchange(*at, last->next);
    end = &last->next;
  }
  *end = nullptr;
  return taken;
}

/// Makes one block of each row of neighbours, in a list in which each block has a neighbour.
strand_views* with_rows_merged(strand_views* list) noexcept {
  strand_views* all = nullptr;
  for (strand_views** end = &all; list != nullptr; end = &(*end)->next) {
    strand_views* row = std::exchange(list, list->next);
    while (are_neighbours(*row, list)) {
      strand_views* right = std::exchange(list, list->next);
      row = product(row, right);
    }
    row->next = nullptr;
    *end = row;
  }
  return all;
}

}  // namespace

/// Puts `list` in the place of an empty list. Returns whether it was empty.
bool left_views::put_all(strand_views* list) noexcept {
  emit<strand_events::leaving_views>();
  strand_views* none = nullptr;
  // The release pairs with the acquire in take().
  return list_.compare_exchange_strong(none, list, std::memory_order_release,
                                       std::memory_order_relaxed);
}

/// Merging runs code of the program, which may take long. So a strand merges only blocks that it
/// has taken out of the list, and others see the rest of the list meanwhile. docs/reducer.md
/// numbers the steps. thrown_by_children::leave_block() calls this.
void left_views::leave(strand_views* mine, std::uint64_t number) noexcept {
  mine->from = mine->to = number;
  mine->next = nullptr;
  for (;;) {
    strand_views* all = sorted(take(), mine);
    strand_views* neighbours = take_neighbours(all);
    if (all != nullptr && !put_all(all))
      mine = sorted(all, neighbours);  // others have left something meanwhile
    else if (neighbours != nullptr)
      mine = with_rows_merged(neighbours);
    else
      return;
  }
}

void left_views::leave_unordered(strand_views* mine) noexcept {
  do {
    if (strand_views* before = take()) mine = product(before, mine);
  } while (!put_all(mine));
}

strand_views* block_without_views() noexcept { return new (std::nothrow) no_views; }

strand_views* sorted(strand_views* a, strand_views* b) noexcept {
  strand_views* all = nullptr;
  for (strand_views** end = &all;; end = &(*end)->next) {
    if (a == nullptr || b == nullptr) {
      *end = a != nullptr ? a : b;
      return all;
    }
    strand_views*& first = b->from < a->from ? b : a;
    *end = first;
    first = first->next;
  }
}

strand_views* linked(strand_views* first, strand_views* rest) noexcept {
  if (first == nullptr) return rest;
  strand_views* last = first;
  while (last->next != nullptr) last = last->next;
  last->next = rest;
  return first;
}

void go_on_with_product(strand_views* all) noexcept {
  strand_views* v = linked(take_views_of_strand(), all);
  for (strand_views* rest = std::exchange(v->next, nullptr); rest != nullptr;) {
    strand_views* right = std::exchange(rest, rest->next);
    v = product(v, right);
  }
  NOPAL_ASSERT(views_of_strand() == nullptr);  // merging uses no reducer
  v->thrown = false;
  if (v->empty()) delete std::exchange(v, nullptr);
  set_views_of_strand(v);
}

void go_on_without(strand_views* dropped) noexcept {
  for (strand_views* v = dropped; v != nullptr; v = v->next) v->drop();
  go_on_with_product(dropped);
}

void mark_views_thrown() noexcept {
  strand_views* v = views_of_strand();
  if (v == nullptr) {
    v = block_without_views();
    set_views_of_strand(v);
  }
  if (v != nullptr) v->thrown = true;
}

}  // namespace nopal::detail
