// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/io/request.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// Requests or jobs in the order in which they came. The list is intrusive and allocates nothing.
class io_list {
 public:
  io_list() noexcept = default;
  io_list(const io_list&) = delete;
  io_list& operator=(const io_list&) = delete;

  [[nodiscard]] bool empty() const noexcept { return ends_.next == &ends_; }
  void push_back(io_links& l) noexcept { insert_before(ends_, l); }
  void push_front(io_links& l) noexcept { insert_before(*ends_.next, l); }

  [[nodiscard]] io_links* first() noexcept { return after(ends_); }
  /// Returns the next one, or nullptr.
  [[nodiscard]] io_links* after(io_links& l) noexcept {
    return l.next == &ends_ ? nullptr : l.next;
  }

 private:
  /// Puts `l` in front of `there`, which is in the list or is its end.
  static void insert_before(io_links& there, io_links& l) noexcept {
    NOPAL_ASSERT(l.next == &l);  // it is in one list at a time
    l.next = &there;
    l.before = there.before;
    there.before->next = &l;
    there.before = &l;
  }

  io_links ends_;
};

}  // namespace nopal::detail
