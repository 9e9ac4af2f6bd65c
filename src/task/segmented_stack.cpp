// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/segmented_stack.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

void segmented_stack::free(stacklet* s) noexcept {
  while (s != nullptr) ::operator delete(std::exchange(s, s->below));
}

/// Puts a stacklet with room for `bytes` on top: the spare one if it is large enough.
NOPAL_NOINLINE void segmented_stack::grow(std::size_t bytes) {
  // The lowest stacklet stays when it is empty. So it must never be one that was made for a large
  // element, or the bound would not hold.
  if (top_ == nullptr) put_on_top(make(lowest - sizeof(stacklet)));
  if (bytes <= static_cast<std::size_t>(end_ - next_)) return;
  stacklet* s = std::exchange(spare_, nullptr);
  if (s == nullptr || s->bytes < bytes) {
    free(s);
    s = make(std::max(bytes, largest_kept()));
  }
  put_on_top(s);
  NOPAL_ASSERT(fits(bytes));
}

/// Returns the room of the largest stacklet that is kept above the top one.
std::size_t segmented_stack::largest_kept() const noexcept {
  return std::max(top_->with_below, usual - sizeof(stacklet));
}

segmented_stack::stacklet* segmented_stack::make(std::size_t room) {
  return new (::operator new(sizeof(stacklet) + room)) stacklet{nullptr, nullptr, room, room};
}

/// Makes `s` the stacklet on which the next elements lie.
void segmented_stack::put_on_top(stacklet* s) noexcept {
  s->below = top_;
  s->next_below = next_;
  s->with_below = s->bytes + (top_ != nullptr ? top_->with_below : 0);
  top_ = s;
  next_ = begin_of(s);
  end_ = next_ + s->bytes;
  first_ = s->below != nullptr ? next_ : nullptr;
}

/// Takes off the top stacklet, which is empty and not the lowest.
NOPAL_NOINLINE void segmented_stack::shrink() noexcept {
  NOPAL_ASSERT(top_->below != nullptr && next_ == begin_of(top_));
  stacklet* empty = std::exchange(top_, top_->below);
  next_ = empty->next_below;
  end_ = begin_of(top_) + top_->bytes;
  first_ = top_->below != nullptr ? begin_of(top_) : nullptr;
  empty->below = nullptr;
  free(std::exchange(spare_, empty));
  // A stacklet that was made for a large element is not kept, or the bound would not hold.
  if (empty->bytes > largest_kept()) free(std::exchange(spare_, nullptr));
}

std::size_t segmented_stack::bytes_held() const noexcept {
  std::size_t bytes = 0;
  for (const stacklet* s : {top_, spare_})
    for (; s != nullptr; s = s->below) bytes += sizeof(stacklet) + s->bytes;
  return bytes;
}

}  // namespace nopal::detail
