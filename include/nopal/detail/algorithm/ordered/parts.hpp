// SPDX-License-Identifier: Apache-2.0
// This writes what is kept of a range to its place in one pass where nobody steals.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/platform/ticks.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Output whose places depend on how many elements are kept before.
///
/// A part whose place is known is written at once. Of two halves the left one has a known place,
/// and usually has ended when the right one begins: then the right one's place is known too. Only a
/// right half that was stolen while the left one ran has none. Its elements are looked at once, and
/// what comes of it is remembered; they are written when the left half has ended.
///
/// \tparam Work  what is done with the elements:
/// - `head` and head_of(i): what has to be known of the element that begins a part before anybody
///   changes what lies to the left of it; first_head() is that of the whole range.
/// - write(part, kept, head): writes a part, of which so many elements are kept before, and returns
///   how many are kept up to its end.
/// - `remembered`, made of a Work, a part, the grain and a head, which looks at the elements; its
///   write(kept) is then as above.
template <class Work>
class ordered_output {
 public:
  using head = typename Work::head;

  /// \param bytes  how much memory an element takes that is remembered.
  ordered_output(const Work& work, std::size_t by_hand, std::size_t bytes)
      : work_(work), by_hand_(by_hand), bytes_(static_cast<std::ptrdiff_t>(bytes)) {}

  /// Writes n elements. Returns how many are kept.
  std::ptrdiff_t run(std::ptrdiff_t n) {
    std::ptrdiff_t kept = 0;
    head h = work_.first_head();
    std::ptrdiff_t from = 0;
    if (by_hand_ != 0)
      grain_ = chosen_grain(by_hand_, n);
    else
      from = measure(n, kept, h);
    while (from < n) {
      const std::ptrdiff_t length = stretch();
      const part p{from, length < n - from ? from + length : n};
      const head next = head_behind(p, n);
      if (by_hand_ == 0) timed_ = from;
      kept = write(p, kept, h);
      if (by_hand_ == 0 && p.size() > grain_) grain_ = fit_;
      h = next;
      from = p.to;
    }
    return kept;
  }

  /// Writes a part that is not empty as the beginning of an output of its own, with the grain of
  /// another one.
  std::ptrdiff_t run_with_grain(std::ptrdiff_t grain, std::ptrdiff_t n) {
    grain_ = grain;
    return write({0, n}, 0, work_.first_head());
  }

 private:
  [[nodiscard]] head head_behind(part p, std::ptrdiff_t n) const {
    return p.to < n ? work_.head_of(p.to) : head();
  }

  /// Writes elements in a row, until it is known how long they take or none is left. Returns how
  /// many that were, and chooses the grain.
  ///
  /// The first element may take long because nothing of its memory has been touched, so it counts
  /// only if it is dear for certain. It may be cheap by chance, so no block is more than 64 times
  /// as long as the one before.
  std::ptrdiff_t measure(std::ptrdiff_t n, std::ptrdiff_t& kept, head& h) {
    const std::uint64_t enough = detail::ticks_of_five_microseconds();
    std::uint64_t begun = detail::ticks();
    std::ptrdiff_t length = 1;
    for (std::ptrdiff_t from = 0;;) {
      const part p{from, length < n - from ? from + length : n};
      const head next = head_behind(p, n);
      kept = write_block(p, kept, h);
      h = next;
      from = p.to;
      if (from >= n) return n;
      const std::uint64_t now = detail::ticks();
      const std::uint64_t taken = now - begun;
      begun = now;
      grain_ = fitting(length, taken);
      if (taken >= 4 * enough || (length > 1 && (taken >= enough / 4 || length == longest)))
        return from;
      length = std::max(length, std::min(grain_, 64 * length));
    }
  }

  /// Returns how many elements fit into a block, if so many took that long. A block is to take five
  /// microseconds, as with for_each(). Long blocks end at multiples of 64 elements.
  static std::ptrdiff_t fitting(std::ptrdiff_t length, std::uint64_t taken) {
    constexpr std::ptrdiff_t unit = 64;
    const auto fit = static_cast<std::ptrdiff_t>(std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(length) * detail::ticks_of_five_microseconds() /
            std::max<std::uint64_t>(taken, 1),
        1, longest));
    return fit >= 2 * unit ? fit / unit * unit : fit;
  }

  /// Returns how much is written before the next is begun. What is stolen is remembered and read
  /// again, so a stretch is to stay in the last cache. At its end workers wait for each other, for
  /// some blocks of a thousand. The next stretch has a new grain.
  [[nodiscard]] std::ptrdiff_t stretch() const {
    constexpr std::ptrdiff_t bytes = std::ptrdiff_t{1} << 23;
    constexpr std::ptrdiff_t least_blocks = 64, most_blocks = 1024;
    const std::ptrdiff_t blocks = std::clamp(bytes / bytes_ / grain_, least_blocks, most_blocks);
    return grain_ > PTRDIFF_MAX / blocks ? PTRDIFF_MAX : blocks * grain_;
  }

  /// Writes a block, and finds out how long it takes if it is the first of a stretch.
  std::ptrdiff_t write_block(part p, std::ptrdiff_t kept, head h) {
    check_block();
    if (p.from != timed_) return work_.write(p, kept, h);
    const std::uint64_t begun = detail::ticks();
    const std::ptrdiff_t after = work_.write(p, kept, h);
    fit_ = std::clamp(fitting(p.size(), detail::ticks() - begun), (grain_ + 3) / 4, 4 * grain_);
    return after;
  }

  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::ptrdiff_t write(part p, std::ptrdiff_t kept, head h) {
    if (p.size() <= grain_) return write_block(p, kept, h);
    const part a{p.from, p.middle(grain_)}, b{a.to, p.to};
    const head head_of_b = work_.head_of(b.from);
    std::ptrdiff_t after_a = 0, after_b = 0;
    std::optional<typename Work::remembered> late;
    // Set by the strand of the left half when all of it has been written, so that a thief of the
    // right half finds either nothing or, by release and acquire, how many are kept in the left
    // half. Nobody waits for it, and a thief that comes too early to see it loses time only. If
    // nobody stole, only this strand uses it.
    std::atomic<bool> left_has_ended{false};
    parallel_invoke(
        [&] {
          after_a = write(a, kept, h);
          left_has_ended.store(true, std::memory_order_release);
        },
        [&] {
          if (left_has_ended.load(std::memory_order_acquire))
            after_b = write(b, after_a, head_of_b);
          else
            late.emplace(work_, b, grain_, head_of_b);
        });
    return late ? late->write(after_a) : after_b;
  }

  static constexpr std::ptrdiff_t longest = 16384;

  const Work& work_;
  std::size_t by_hand_;
  std::ptrdiff_t bytes_;
  std::ptrdiff_t grain_ = 1;
  // These belong to the strand that runs a stretch, which also writes the first block of it. The
  // other strands only read where that begins.
  std::ptrdiff_t timed_ = -1;
  std::ptrdiff_t fit_ = 1;
};

/// The head of a part whose elements do not depend on those before them.
struct no_head {};

/// Where each block's output begins, in a part that is remembered: how many elements are kept in
/// the blocks before it.
class block_offsets {
 public:
  block_offsets(std::ptrdiff_t elements, std::ptrdiff_t grain)
      : size_((elements - 1) / grain + 1),
        kept_before_(std::make_unique<std::ptrdiff_t[]>(static_cast<std::size_t>(size_) + 1)) {}

  [[nodiscard]] std::ptrdiff_t blocks() const noexcept { return size_; }
  void set_kept(std::ptrdiff_t block, std::ptrdiff_t n) noexcept {
    kept_before_[at(block + 1)] = n;
  }
  /// Adds the numbers up, when all have been set. Returns how many are kept in all.
  std::ptrdiff_t add_up() noexcept {
    for (std::ptrdiff_t i = 0; i < size_; ++i) kept_before_[at(i + 1)] += kept_before_[at(i)];
    return kept_before_[at(size_)];
  }
  [[nodiscard]] std::ptrdiff_t before(std::ptrdiff_t block) const noexcept {
    return kept_before_[at(block)];
  }
  [[nodiscard]] std::ptrdiff_t kept(std::ptrdiff_t block) const noexcept {
    return before(block + 1) - before(block);
  }

 private:
  static std::size_t at(std::ptrdiff_t block) noexcept { return static_cast<std::size_t>(block); }

  std::ptrdiff_t size_;
  std::unique_ptr<std::ptrdiff_t[]> kept_before_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
