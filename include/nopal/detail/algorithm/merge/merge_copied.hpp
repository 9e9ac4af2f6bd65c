// SPDX-License-Identifier: Apache-2.0
// Several workers merge two sorted ranges into a third one.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_run.hpp"
#include "nopal/detail/algorithm/merge/merge_split.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Merges two parts of what begins at `first1` and `first2` to what begins at `out`. If a
/// comparison or an assignment throws, some of the places have been written.
template <class I1, class I2, class O, class Less>
void merge_copied(I1 first1, I2 first2, two_parts p, O out, std::ptrdiff_t grain,
                  const Less& second_before_first) {
  check_block();
  if (p.size() <= 2 * grain) {
    merge_state<I1, I2, O> s{advanced(first1, p.first.from), advanced(first1, p.first.to),
                             advanced(first2, p.second.from), advanced(first2, p.second.to), out};
    return merge_run<copying>(s, second_before_first);
  }
  const split_parts s = split_merge(first1, first2, p, p.size() / 2, second_before_first);
  parallel_invoke([&] { merge_copied(first1, first2, s.left, out, grain, second_before_first); },
                  [&] {
                    merge_copied(first1, first2, s.right, advanced(out, s.left.size()), grain,
                                 second_before_first);
                  });
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
