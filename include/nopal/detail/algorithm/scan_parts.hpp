// SPDX-License-Identifier: Apache-2.0
// This scans a range in one pass if nobody steals, and otherwise in one pass and a part of a
// second.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/halves.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/scan_block.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What a part hands on. If carries are computed from folds, they are bracketed in the same way
/// whether the part was stolen or not. If a part that was not stolen hands on the carry for the
/// next one, each element takes one operation, not two.
enum class scan_result { fold, carry };

/// A scan writes a part whose carry is known in one pass. Of two halves the left one has a known
/// carry, and usually has ended when the right one begins: then the right one's carry is known too.
/// Only a right half that was stolen while the left one ran has none. It is folded first, since all
/// that follows waits for its fold, and written once the left half has ended. Which worker stole
/// it, and when, decides about the time and not about the result.
template <scan_kind Kind, scan_result Result, class U, class I, class O, class Op, class Proj>
class scanner {
 public:
  scanner(I first, O out, std::ptrdiff_t grain, const Op& op, const Proj& proj)
      : first_(first), out_(out), grain_(grain), op_(op), proj_(proj) {}

  /// Writes n elements.
  void run(std::ptrdiff_t n, U carry) const {
    const std::ptrdiff_t length = stretch(n);
    for (std::ptrdiff_t from = 0; from < n; from += length) {
      const part p{from, std::min(n, from + length)};
      carry = after(carry, write(p, carry));
    }
  }

 private:
  /// The folds of the left halves within a stolen part, each at the number of the block that
  /// follows it.
  class left_folds {
   public:
    left_folds(part p, std::ptrdiff_t grain)
        : from_(p.from),
          grain_(grain),
          folds_(static_cast<std::size_t>((p.size() - 1) / grain + 1)) {}
    std::optional<U>& before(std::ptrdiff_t middle) {
      return folds_[static_cast<std::size_t>((middle - from_) / grain_)];
    }

   private:
    std::ptrdiff_t from_;
    std::ptrdiff_t grain_;
    std::vector<std::optional<U>> folds_;
  };

  /// Returns how much is scanned at once. What is stolen is read twice. If the last cache holds the
  /// stretch, it is read from there the second time. A million of the cheapest elements is a
  /// millisecond, long enough for the wait at its end not to matter.
  [[nodiscard]] std::ptrdiff_t stretch(std::ptrdiff_t n) const {
    constexpr std::ptrdiff_t elements = std::ptrdiff_t{1} << 20;
    constexpr std::ptrdiff_t blocks = 512;
    if (grain_ <= elements / blocks) return elements / grain_ * grain_;
    return grain_ > n / blocks ? n : blocks * grain_;
  }

  /// Returns the carry for what follows a part, from the carry of the part and from what the part
  /// has handed on.
  [[nodiscard]] U after(const U& carry, const U& result) const {
    if constexpr (Result == scan_result::fold)
      return combined<U>(op_, carry, result);
    else
      return result;
  }

  [[nodiscard]] U write_block(part p, const U& carry) const {
    check_block();
    if constexpr (Result == scan_result::fold)
      return scan_and_fold_block<Kind, U>(advanced(first_, p.from), p.size(),
                                          advanced(out_, p.from), carry, op_, proj_);
    else
      return scan_block<Kind, U>(advanced(first_, p.from), p.size(), advanced(out_, p.from), carry,
                                 op_, proj_);
  }

  /// Writes a part. Returns what it hands on.
  U write(part p, const U& carry) const {
    if (p.size() <= grain_) return write_block(p, carry);
    const part a{p.from, p.middle(grain_)}, b{a.to, p.to};
    std::optional<U> left, right;
    std::optional<left_folds> folds;
    // Set by the strand of the left half when all of it has been written, so that a thief of the
    // right half finds either nothing or, by release and acquire, the left half's result. Nobody
    // waits for it, and a thief that comes too early to see it loses time only. If nobody stole,
    // only this strand uses it.
    std::atomic<bool> left_has_ended{false};
    parallel_invoke(
        [&] {
          left.emplace(write(a, carry));
          left_has_ended.store(true, std::memory_order_release);
        },
        [&] {
          if (left_has_ended.load(std::memory_order_acquire)) {
            right.emplace(write(b, after(carry, *left)));
          } else {
            folds.emplace(b, grain_);
            right.emplace(fold(b, *folds));
          }
        });
    if (folds) {
      const U known = after(carry, *left);
      write_folded(b, known, *folds);
      if constexpr (Result == scan_result::carry) return combined<U>(op_, known, *std::move(right));
    }
    if constexpr (Result == scan_result::carry)
      return *std::move(right);
    else
      return combined<U>(op_, *std::move(left), *std::move(right));
  }

  /// Folds a part whose carry is not known yet.
  U fold(part p, left_folds& folds) const {
    if (p.size() <= grain_) {
      check_block();
      return fold_block<U>(advanced(first_, p.from), p.size(), op_, proj_);
    }
    const part a{p.from, p.middle(grain_)}, b{a.to, p.to};
    std::optional<U>& left = folds.before(a.to);
    std::optional<U> right;
    invoke_halves([&, a] { left.emplace(fold(a, folds)); },
                  [&, b] { right.emplace(fold(b, folds)); });
    return combined<U>(op_, *left, *std::move(right));
  }

  /// Writes a part that has been folded.
  void write_folded(part p, const U& carry, left_folds& folds) const {
    if (p.size() <= grain_) return static_cast<void>(write_block(p, carry));
    const part a{p.from, p.middle(grain_)}, b{a.to, p.to};
    invoke_halves(
        [&, a] { write_folded(a, carry, folds); },
        [&, b] { write_folded(b, combined<U>(op_, carry, *folds.before(b.from)), folds); });
  }

  I first_;
  O out_;
  std::ptrdiff_t grain_;
  const Op& op_;
  const Proj& proj_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
