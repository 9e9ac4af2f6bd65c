// SPDX-License-Identifier: Apache-2.0
// Several workers write the result of an operation on sets, of which nobody knows beforehand how
// much each of them writes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/set_cut.hpp"
#include "nopal/detail/algorithm/merge/set_run.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A worker that comes to a piece after the pieces before it have been written, as one that is
/// alone does, knows where the result of its piece goes, and writes that at once. Another one only
/// counts what it would write, and comes back when all pieces have been written or counted.
template <set_kept Kept, class Ranges, class O>
class set_writer {
 public:
  set_writer(const Ranges& ranges, O out, std::ptrdiff_t length)
      : ranges_(ranges),
        out_(out),
        length_(length),
        pieces_(static_cast<std::size_t>((ranges.size() - 1) / length + 1)) {}

  /// Returns how much has been written.
  std::ptrdiff_t run() {
    const part all{0, static_cast<std::ptrdiff_t>(pieces_.size())};
    for_each_block(all, 1, [this](part p) {
      for (std::ptrdiff_t i = p.from; i < p.to; ++i) write_or_count(static_cast<std::size_t>(i));
    });
    std::ptrdiff_t end = 0;
    bool all_written = true;
    for (piece& p : pieces_) {
      p.begin = end;
      end += p.count;
      all_written = all_written && p.is_written;
    }
    if (!all_written)
      for_each_block(all, 1, [this](part p) {
        for (std::ptrdiff_t i = p.from; i < p.to; ++i)
          if (piece& it = pieces_[static_cast<std::size_t>(i)]; !it.is_written)
            run_set<Kept>(ranges_, it.from, it.to, advanced(out_, it.begin));
      });
    return end;
  }

 private:
  static constexpr std::ptrdiff_t unknown = -1;

  struct piece {
    set_cut from, to;
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t count = 0;
    bool is_written = false;
    /// Where the result of the piece ends, once that is known. Whoever writes the piece stores it
    /// with release, and whoever has the next one loads it with acquire, so that `to` is seen.
    std::atomic<std::ptrdiff_t> end{unknown};
  };

  [[nodiscard]] set_cut cut_before(std::size_t i) const {
    return cut_sets(ranges_, std::min(ranges_.size(), static_cast<std::ptrdiff_t>(i) * length_));
  }

  void write_or_count(std::size_t i) {
    piece& p = pieces_[i];
    const std::ptrdiff_t begin = i == 0 ? 0 : pieces_[i - 1].end.load(std::memory_order_acquire);
    if (i != 0) p.from = begin != unknown ? pieces_[i - 1].to : cut_before(i);
    p.to = cut_before(i + 1);
    if (begin == unknown) {
      p.count = run_set<Kept>(ranges_, p.from, p.to, counted_output{}).count();
      return;
    }
    const O out = advanced(out_, begin);
    p.count = static_cast<std::ptrdiff_t>(run_set<Kept>(ranges_, p.from, p.to, out) - out);
    p.is_written = true;
    p.end.store(begin + p.count, std::memory_order_release);
  }

  const Ranges& ranges_;
  O out_;
  std::ptrdiff_t length_;
  std::vector<piece> pieces_;
};

/// How many elements of both ranges make a piece if no grain is given.
inline constexpr block_limits limits_of_sets{2048, 16384};

/// Writes the result of an operation, and returns how much that is.
template <set_kept Kept, class Ranges, class O>
std::ptrdiff_t write_set(const Ranges& ranges, O out, std::size_t by_hand) {
  const std::ptrdiff_t length = chosen_grain(by_hand, ranges.size(), limits_of_sets);
  if (ranges.size() <= length)
    return static_cast<std::ptrdiff_t>(
        run_set<Kept>(ranges, set_cut{}, set_cut{ranges.n1, ranges.n2}, out) - out);
  return set_writer<Kept, Ranges, O>(ranges, out, length).run();
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
