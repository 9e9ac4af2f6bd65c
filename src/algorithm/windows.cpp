// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/search/windows.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/ticks.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {
namespace {

class loop_in_windows {
 public:
  loop_in_windows(std::size_t by_hand, loop_body body,
                  const std::atomic<std::ptrdiff_t>* end) noexcept
      : by_hand_(by_hand), body_(body), end_(end) {}

  void run_block(part block) const {
    detail::check_scope("nopal: a loop");
    body_.run(body_.leaf, block);
  }

  /// Runs `todo` on a worker. Its first block has so many elements, and has not been begun before
  /// `begun`.
  ///
  /// All that follows the block can be stolen while it runs. If nobody steals, what the block took
  /// says how long the next one is.
  void run_growing(part todo, std::ptrdiff_t length, std::uint64_t begun) const {
    if (todo.size() <= length + length / 2) return run_block(todo);
    const part first{todo.from, todo.from + length}, rest{first.to, todo.to};
    // Written by the strand of the first block when that has ended, before the release. A thief
    // that acquires it finds `next` and `ended` as well. One that comes too early cuts by number.
    std::atomic<bool> known{false};
    std::ptrdiff_t next = 0;
    std::uint64_t ended = 0;
    parallel_invoke(
        [&] {
          run_block(first);
          ended = detail::ticks();
          next = next_length(length, ended - begun);
          known.store(true, std::memory_order_release);
        },
        [&] {
          if (ends_before(rest.from)) return;
          if (!known.load(std::memory_order_acquire)) return run_windows(rest, unknown_block);
          if (next < 2 * length && next < rest.size())
            return run_windows(rest, std::max(next, std::ptrdiff_t{1}));
          run_growing(rest, next, ended);
        });
  }

  /// Runs `todo` on a worker, window by window.
  /// \param block  about how long blocks are, if anything is known.
  void run_windows(part todo, std::ptrdiff_t block) const {
    if (end_ == nullptr) return run_loop(todo, by_hand_, body_);
    const auto of_workers =
        static_cast<std::ptrdiff_t>(blocks_of_worker) * static_cast<std::ptrdiff_t>(workers());
    std::ptrdiff_t length = block > todo.size() / of_workers ? todo.size() : block * of_workers;
    while (todo.size() > 0 && !ends_before(todo.from)) {
      // The last window may be half as long again, so that none is very short.
      const bool last = todo.size() - length <= length / 2;
      const part window{todo.from, last ? todo.to : todo.from + length};
      run_loop(window, by_hand_, body_);
      todo.from = window.to;
      length += std::min(length, todo.size());
    }
  }

 private:
  /// How much longer each of the first blocks is than the one before.
  static constexpr std::ptrdiff_t growth = 64;
  static constexpr unsigned blocks_of_worker = 4;
  /// Stands for the length of a block if a thief has come before the first block has ended.
  static constexpr std::ptrdiff_t unknown_block = 8;

  /// Whether the loop is known to end before this element. The end is a hint here, and every join
  /// orders what it stands for, so it is relaxed.
  [[nodiscard]] bool ends_before(std::ptrdiff_t n) const noexcept {
    return end_ != nullptr && end_->load(std::memory_order_relaxed) < n;
  }

  /// Returns how many elements take five microseconds if so many took so many ticks, but no more
  /// than the next of the first blocks may have.
  static std::ptrdiff_t next_length(std::ptrdiff_t length, std::uint64_t taken) noexcept {
    const std::uint64_t limit = detail::ticks_of_five_microseconds();
    if (taken < limit / growth) return growth * length;
    return static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(length) * limit / taken);
  }

  std::size_t by_hand_;
  loop_body body_;
  const std::atomic<std::ptrdiff_t>* end_;
};

}  // namespace

void run_in_windows(std::ptrdiff_t n, std::size_t by_hand, element_cost cost, loop_body body,
                    const std::atomic<std::ptrdiff_t>* end) {
  const bool cheapest = by_hand == 0 && cost == element_cost::least;
  const std::size_t length = cheapest ? std::size_t{block_of_cheapest} : by_hand;
  const loop_in_windows loop(length, body, end);
  if (cheapest && n <= block_of_cheapest) return loop.run_block({0, n});
  auto call = [&] {
    if (length == 0)
      loop.run_growing({0, n}, 1, detail::ticks());
    else
      loop.run_windows({0, n}, chosen_grain(length, n));
  };
  if (detail::this_worker() != nullptr) [[likely]]
    return call();
  detail::run_on_default_runtime([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
