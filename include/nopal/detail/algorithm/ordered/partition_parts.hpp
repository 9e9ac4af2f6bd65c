// SPDX-License-Identifier: Apache-2.0
// This moves what is kept of a range to its beginning by swaps, without extra memory. The rest
// stays behind it, in another order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/ordered/rotation.hpp"
#include "nopal/detail/algorithm/ordered/split_values.hpp"
#include "nopal/detail/algorithm/ordered/values.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A work of ordered_output. All elements before a part are those that are kept, and then the rest.
template <class I, class Test>
class swaps {
 public:
  using head = no_head;
  class remembered;

  swaps(I first, Test test) : first_(first), test_(test) {}

  static head first_head() { return {}; }
  static head head_of(std::ptrdiff_t /*i*/) { return {}; }

  std::ptrdiff_t write(part p, std::ptrdiff_t kept, head /*h*/) const {
    I at = advanced(first_, p.from), to = advanced(first_, kept);
    std::ptrdiff_t left = p.size();
    if constexpr (std::is_pointer_v<I> && plain_values<I>)
      for (; left >= values_in_group; left -= values_in_group, at += values_in_group)
        to = swap_group(at, to);
    for (; left > 0; --left, ++at) {
      if (!test_(at)) continue;
      if (to != at) std::ranges::iter_swap(to, at);
      ++to;
    }
    return static_cast<std::ptrdiff_t>(to - first_);
  }

 private:
  /// Swaps what is kept of a group of plain values. There is no branch on what the predicate says
  /// of one of them: a processor cannot foresee it.
  I swap_group(I at, I to) const {
    using T = std::iter_value_t<I>;
    const group_flags flags([&](std::ptrdiff_t i) { return test_(at + i); });
    if (flags.none()) return to;
    if (flags.all()) {
      const std::ptrdiff_t n = std::min<std::ptrdiff_t>(at - to, values_in_group);
      std::swap_ranges(to, to + n, at + (values_in_group - n));
      return to + values_in_group;
    }
    for (std::ptrdiff_t i = 0; i < values_in_group; ++i) {
      const T value = at[i];
      at[i] = T(*to);
      *to = value;
      to += flags.kept[i];
    }
    return to;
  }

  I first_;
  Test test_;
};

/// A stolen part is partitioned by itself. Then its elements that are kept are swapped with the
/// rest before it.
template <class I, class Test>
class swaps<I, Test>::remembered {
 public:
  remembered(const swaps& work, part p, std::ptrdiff_t grain, head /*h*/) : work_(work), part_(p) {
    const swaps alone(advanced(work.first_, p.from), work.test_);
    ordered_output output(alone, 0, 1);
    kept_ = output.run_with_grain(grain, p.size());
  }

  std::ptrdiff_t write(std::ptrdiff_t kept) {
    const std::ptrdiff_t n = std::min(part_.from - kept, kept_);
    swap_elements(advanced(work_.first_, kept), advanced(work_.first_, part_.from + kept_ - n), n,
                  0);
    return kept + kept_;
  }

 private:
  const swaps& work_;
  part part_;
  std::ptrdiff_t kept_ = 0;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
