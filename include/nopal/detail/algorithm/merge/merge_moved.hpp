// SPDX-License-Identifier: Apache-2.0
// Several workers merge elements that they move, and lose none.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/first_failure.hpp"
#include "nopal/detail/algorithm/merge/merge_run.hpp"
#include "nopal/detail/algorithm/merge/merge_split.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class Less>
struct moved_merge {
  const Less& less;
  std::ptrdiff_t grain;
  first_failure& failure;
};

/// Merges two parts of what begins at `from` to the place `out` of what begins at `to`. If a
/// comparison throws or a stop comes, that is kept, and what has not been merged is only moved. The
/// cuts are all found before the elements that they depend on are moved away.
template <class How, class From, class To, class Less>
void merge_moved(two_parts p, From from, To to, std::ptrdiff_t out,
                 const moved_merge<Less>& m) noexcept {
  split_parts s;
  const auto split = [&] {
    check_block();
    s = split_merge(from, from, p, p.size() / 2, m.less);
  };
  if (p.size() > 2 * m.grain && m.failure.keep(split))
    return m.failure.invoke_both(
        [&] { merge_moved<How>(s.left, from, to, out, m); },
        [&] { merge_moved<How>(s.right, from, to, out + s.left.size(), m); });
  merge_state<From, From, To> all{advanced(from, p.first.from), advanced(from, p.first.to),
                                  advanced(from, p.second.from), advanced(from, p.second.to),
                                  advanced(to, out)};
  m.failure.keep([&] { merge_run<How>(all, m.less); });
  put_rest<How>(all);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
