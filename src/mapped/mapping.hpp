// SPDX-License-Identifier: Apache-2.0
// This knows which stack is where, in which worker. docs/mapped.md has the protocol and its
// argument.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "strand/stack.hpp"
#include "strand/stack_strategy.hpp"

namespace nopal::detail::mapped {

/// A part of the file of stacks, and where it is while a strand has it. Thieves read both while
/// they copy a chain, maybe for something that has long been elsewhere; then they throw the copy
/// away.
struct segment : stack {
  using stack::stack;
  std::atomic<unsigned> level{0};
  std::atomic<const segment*> above{nullptr};
  segment* next = nullptr;  ///< The next of all that were made.
};

/// The stacks of a mapped runtime: segments of one file, each at the addresses of its level while a
/// strand has it. stack_strategy says what the overridden functions do, and who calls them.
class mapping final : public stack_strategy {
 public:
  /// \throws std::system_error if the kernel refuses the file or the addresses.
  explicit mapping(std::size_t stack_bytes);
  ~mapping();
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;

  /// Adds so many workers, before the first of them runs.
  /// \throws std::bad_alloc
  void add_workers(unsigned number);

  stack* make() noexcept override;
  void copy_chain(const strand_worker& thief, const strand_worker& victim) noexcept override;
  void begin_stolen(strand_worker& thief, const continuation& c) noexcept override;
  void begin_call(strand_worker& w) noexcept override;
  void go_on(strand_worker& w, stack& s) noexcept override;
  [[nodiscard]] std::size_t resident_pages() const noexcept override;

  /// Returns the number of calls of mmap so far, of all workers: one for each segment that a worker
  /// lacked.
  [[nodiscard]] std::uint64_t segments_mapped() const noexcept;
  /// Returns the number of segments that exist.
  [[nodiscard]] std::size_t segments() const noexcept;

 private:
  struct freed {
    void operator()(const segment** p) const noexcept { std::free(static_cast<void*>(p)); }
  };
  /// A segment for each level; nullptr: nothing. The memory comes from calloc, which touches
  /// nothing.
  using by_level = std::unique_ptr<const segment*[], freed>;

  /// The address space of one worker, which alone uses it.
  struct alignas(cache_line) address_space {
    by_level mapped;  ///< The segment that the worker sees at each level's addresses.
    by_level chain;   ///< What copy_chain() has copied last.
    std::atomic<std::uint64_t> mmaps{0};
  };

  // Level 0 is the stack of a call from outside. A strand that is stolen from level n begins on n +
  // 1, at lower addresses.

  [[nodiscard]] std::byte* begin_of(unsigned level) const noexcept;
  [[nodiscard]] bool in_region(const void* p) const noexcept;
  [[nodiscard]] unsigned level_of(const void* p) const noexcept;
  void place_spare(strand_worker& w, unsigned level, const segment* above) noexcept;
  void show(address_space& v, unsigned level, const segment& s) noexcept;

  std::size_t guard_;
  std::size_t usable_;
  unsigned levels_;
  std::byte* begin_;
  int file_;
  std::vector<address_space> spaces_;
  alignas(cache_line) std::atomic<std::size_t> count_{0};
  std::atomic<segment*> newest_{nullptr};
};

}  // namespace nopal::detail::mapped
