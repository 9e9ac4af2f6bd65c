// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// An element of an intrusive_list. unlink() removes it from whichever list it is in. A copy is in
/// no list.
struct list_links {
  list_links() noexcept = default;
  list_links(const list_links&) noexcept : list_links() {}
  list_links& operator=(const list_links&) = delete;

  list_links* next = this;
  list_links* before = this;

  [[nodiscard]] bool is_listed() const noexcept { return next != this; }
  /// Takes this out of the list that it is in, if it is in one.
  void unlink() noexcept {
    before->next = next;
    next->before = before;
    next = before = this;
  }
};

/// Elements in the order in which they came. The list allocates nothing, and has no lock.
class intrusive_list {
 public:
  intrusive_list() noexcept = default;
  intrusive_list(const intrusive_list&) = delete;
  intrusive_list& operator=(const intrusive_list&) = delete;

  [[nodiscard]] bool empty() const noexcept { return ends_.next == &ends_; }
  void push_back(list_links& l) noexcept { insert_before(ends_, l); }
  void push_front(list_links& l) noexcept { insert_before(*ends_.next, l); }

  [[nodiscard]] list_links* first() noexcept { return after(ends_); }
  /// Returns the next one, or nullptr.
  [[nodiscard]] list_links* after(list_links& l) noexcept {
    return l.next == &ends_ ? nullptr : l.next;
  }

 private:
  /// Puts `l` in front of `there`, which is in the list or is its end.
  static void insert_before(list_links& there, list_links& l) noexcept {
    NOPAL_ASSERT(l.next == &l);  // it is in one list at a time
    l.next = &there;
    l.before = there.before;
    there.before->next = &l;
    there.before = &l;
  }

  list_links ends_;
};

}  // namespace nopal::detail
