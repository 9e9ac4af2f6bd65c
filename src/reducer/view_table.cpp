// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/reducer/view_table.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "platform/message.hpp"

namespace nopal::detail {

view view_table::no_view{nullptr, nullptr, nullptr};

template <class F>
void view_table::empty_into(F&& f) noexcept {
  count_ = 0;
  for (std::size_t i = 0; i <= mask_; ++i)
    for (view* v = std::exchange(slots_[i], &no_view); v != &no_view;) {
      view* next = v->next;
      f(*v);
      v = next;
    }
}

view_table::~view_table() {
  empty_into([](view& v) { v.does->end(v); });
  if (slots_ != few_.data()) delete[] slots_;
}

view* view_table::find(const void* key) noexcept {
  view*& first = slots_[hash(key) & mask_];
  for (view** at = &first; *at != &no_view; at = &(*at)->next) {
    view* v = *at;
    if (v->key != key) continue;
    // The view goes to the front, where the next look-up expects it.
    *at = v->next;
    v->next = first;
    first = v;
    return v;
  }
  return nullptr;
}

void view_table::add(view& v) noexcept {
  NOPAL_ASSERT(find(v.key) == nullptr);
  if (count_ > mask_) grow();
  view*& first = slots_[hash(v.key) & mask_];
  v.next = std::exchange(first, &v);
  ++count_;
}

bool view_table::remove(view& v) noexcept {
  if (find(v.key) != &v) return false;
  slots_[hash(v.key) & mask_] = v.next;
  --count_;
  return true;
}

/// Makes more slots. If there is no memory for them, the lists become longer.
void view_table::grow() noexcept {
  const std::size_t more = 2 * (mask_ + 1);
  view** slots = new (std::nothrow) view*[more];
  if (slots == nullptr) return;
  std::fill_n(slots, more, &no_view);
  for (std::size_t i = 0; i <= mask_; ++i)
    for (view* v = slots_[i]; v != &no_view;) {
      view*& first = slots[hash(v->key) & (more - 1)];
      view* next = std::exchange(v->next, first);
      first = std::exchange(v, next);
    }
  if (slots_ != few_.data()) delete[] slots_;
  slots_ = slots;
  mask_ = more - 1;
}

/// Reduces each view of `right` into the view of the same reducer here, or takes the view over if
/// there is none. A join does so, when the strand that comes next in serial order has ended.
void view_table::absorb(strand_views* right) noexcept {
  static_cast<view_table*>(right)->empty_into([this](view& v) {
    if (view* left = find(v.key)) {
      left->does->reduce(*left, v);
      v.does->end(v);
    } else if (of_program_ && v.does->merge_into_variable != nullptr) {
      v.does->merge_into_variable(v);
      v.does->end(v);
    } else {
      add(v);
    }
  });
  delete right;
}

template <class F>
void view_table::keep_if(F&& stays) noexcept {
  view* stay = nullptr;
  empty_into([&](view& v) {
    if (stays(v))
      v.next = std::exchange(stay, &v);
    else
      v.does->end(v);
  });
  while (stay != nullptr) {
    view* next = stay->next;
    add(*std::exchange(stay, next));
  }
}

void view_table::drop() noexcept {
  keep_if([](const view& v) { return v.does->leftmost; });
}

void view_table::come_back_to_thread() noexcept {
  keep_if([](view& v) {
    if (v.does->merge_into_variable == nullptr) return true;
    v.does->merge_into_variable(v);
    return false;
  });
}

view_table& table_of_strand_or_new() {
  view_table* t = table_of_strand();
  if (t == nullptr) {
    t = new view_table;
    set_views_of_strand(t);
  }
  return *t;
}

void begin_reducer(view& leftmost) { table_of_strand_or_new().add(leftmost); }

void end_reducer(view* leftmost, std::size_t views) noexcept {
  view_table* t = table_of_strand();
  if (views != 0 || t == nullptr || !t->remove(*leftmost))
    misuse(
        "a reducer has ended before everything that was forked or spawned while it lived has been "
        "joined, or a thread that nobody joins has updated it. Join first, in the function that "
        "has made the reducer");
  if (!t->empty()) return;
  set_views_of_strand(nullptr);
  delete t;
}

void reducer_has_ended() noexcept {
  misuse(
      "a strand uses a nopal::reducer that has ended, or something in its place. What is forked "
      "or spawned while a reducer lives, and uses it, must be joined before it ends: declare the "
      "reducer before the nopal::task_scope, or join the scope first");
}

NOPAL_NOINLINE view& find_or_make_view(const void* key, view* (*make)(const void* argument),
                                       const void* argument) {
  view_table& t = table_of_strand_or_new();
  if (view* v = t.find(key)) return *v;
  view* made = make(argument);
  NOPAL_ASSERT(table_of_strand() == &t);  // the identity uses no reducer
  t.add(*made);
  return *made;
}

}  // namespace nopal::detail
