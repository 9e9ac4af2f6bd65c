// SPDX-License-Identifier: Apache-2.0
#include "strand/stack.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <new>

#include "nopal/detail/platform/assert.hpp"

#if NOPAL_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace nopal::detail {
namespace {

/// Returns the last multiple of `to` that is not after `p`: where a page or a stack's object
/// begins.
std::byte* align_down(std::byte* p, std::size_t to) noexcept {
  return p - reinterpret_cast<std::uintptr_t>(p) % to;
}

/// Returns the time in nanoseconds, some milliseconds late at most, and cheaper to read than the
/// exact time. stale_pages() tells by it whether the kernel's last answer is too old.
std::int64_t coarse_now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// How long stale_pages() uses the kernel's answer before it asks again.
constexpr std::int64_t ask_interval_ns = 1'000'000;

}  // namespace

stack* stack::map(std::size_t usable_bytes) noexcept {
  const stack_memory m = map_stack_memory(usable_bytes);
  if (m.begin == nullptr) return nullptr;
  std::byte* end = m.begin + m.guard + m.usable;
  std::byte* object = align_down(end - sizeof(stack), 64);
  return new (object) stack(m, object);
}

void stack::unmap(stack* s) noexcept {
  const stack_memory m = s->memory_;
#if NOPAL_ASAN
  // The address range may get another use.
  __asan_unpoison_memory_region(m.begin + m.guard, m.usable);
#endif
  s->~stack();
  unmap_stack_memory(m);
}

stack::stack(const stack_memory& m, std::byte* base) noexcept
    : memory_(m), low_(m.begin + m.guard), base_(base) {
  sanitizer_fiber.low = low_;
  sanitizer_fiber.bytes = static_cast<std::size_t>(base_ - low_);
  create_fiber(sanitizer_fiber);
}

stack::stack(std::byte* low, std::size_t bytes, std::byte* guard_begin, std::size_t guard) noexcept
    : memory_{guard_begin, guard, 0}, low_(low), base_(low + bytes) {
  sanitizer_fiber.low = low;
  sanitizer_fiber.bytes = bytes;
  adopt_fiber(sanitizer_fiber);
}

stack::stack(const stack_memory& m) noexcept
    : memory_(m), low_(m.begin + m.guard), base_(low_ + m.usable) {
  NOPAL_ASSERT(m.file >= 0 && m.usable % page_size() == 0);
}

stack::~stack() {
  if (!lent() && memory_.file < 0) destroy_fiber(sanitizer_fiber);
}

void stack::place(std::byte* begin) noexcept {
  NOPAL_ASSERT(memory_.file >= 0);
  if (begin == memory_.begin) return;
  memory_.begin = begin;
  low_ = begin + memory_.guard;
  base_ = low_ + memory_.usable;
  asked_at_ = 0;  // lowest_touched_ is an address of the old place
}

bool stack::guards(const void* address) const noexcept {
  const auto* p = static_cast<const std::byte*>(address);
  return memory_.begin <= p && p < memory_.begin + memory_.guard;
}

/// Returns where the pages end that can go back to the kernel: those that lie below `live`, or all
/// if it is nullptr.
std::byte* stack::first_unused_page_end(void* live) const noexcept {
  NOPAL_ASSERT(live == nullptr || holds(live));
  // Below the stack pointer lies the red zone, up to 128 bytes, of a function that may have been
  // interrupted there; a strand that has switched away has none, but the margin costs nothing.
  std::byte* p = live == nullptr ? base_ : static_cast<std::byte*>(live) - 128;
  return std::max(low_, align_down(p, page_size()));
}

std::size_t stack::reclaim(void* live, bool lazily) noexcept {
  std::byte* end = first_unused_page_end(live);
  const std::size_t pages = give_back(memory_, low_, end, lazily);
  if (asked_at_ != 0 && !lazily && pages != 0) lowest_touched_ = end;
  return pages;
}

std::size_t stack::stale_pages(void* live) noexcept {
  std::byte* end = first_unused_page_end(live);
  const std::int64_t now = coarse_now();
  if (asked_at_ == 0 || now - asked_at_ > ask_interval_ns) {
    lowest_touched_ = lowest_resident(memory_, low_, end);
    asked_at_ = now;
  }
  return lowest_touched_ < end ? static_cast<std::size_t>(end - lowest_touched_) / page_size() : 0;
}

bool stack::has_stale_pages_in_wait(void* live) noexcept {
  if (--waits_until_ask_ != 0) return false;
  std::byte* end = first_unused_page_end(live);
  const bool has =
      static_cast<std::size_t>(end - lowest_resident(memory_, low_, end)) > page_size();
  constexpr unsigned most = 128;  // a mincore() takes as long as several waits
  if (has) waits_between_asks_ = 1;
  waits_until_ask_ = waits_between_asks_;
  if (!has)
    waits_between_asks_ = static_cast<std::uint8_t>(std::min(2U * waits_between_asks_, most));
  return has;
}

std::size_t stack::resident_pages() const noexcept {
  const bool in_page = base_ != align_down(base_, page_size());
  std::byte* end = align_down(base_, page_size()) + (in_page ? page_size() : 0);
  return nopal::detail::resident_pages(memory_, low_, end);
}

}  // namespace nopal::detail
