// SPDX-License-Identifier: Apache-2.0
// This appends what is kept of a range to a vector. What a thief keeps waits in vectors of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A work of ordered_output, for a test that does not look back. `First` is an iterator, or the
/// blocks of a walked range.
template <class First, class Test, class T>
class appends {
 public:
  using head = no_head;
  class remembered;

  appends(First first, Test test, std::vector<T>& to) : first_(first), test_(test), to_(to) {}

  static head first_head() { return {}; }
  static head head_of(std::ptrdiff_t /*i*/) { return {}; }

  std::ptrdiff_t write(part p, std::ptrdiff_t /*kept*/, head /*h*/) const {
    append(p, to_);
    return static_cast<std::ptrdiff_t>(to_.size());
  }

 private:
  void append(part p, std::vector<T>& to) const {
    auto at = advanced(first_, p.from);
    for (std::ptrdiff_t left = p.size(); left != 0; step_on(at, --left))
      if (test_(at)) to.push_back(*at);
  }

  First first_;
  Test test_;
  std::vector<T>& to_;
};

template <class First, class Test, class T>
class appends<First, Test, T>::remembered {
 public:
  remembered(const appends& work, part p, std::ptrdiff_t grain, head /*h*/) : work_(work) {
    grain = std::min(grain, p.size());
    blocks_.resize(static_cast<std::size_t>((p.size() - 1) / grain + 1));
    for_each_block({0, p.size()}, static_cast<std::size_t>(grain), [&, this](part b) {
      work_.append({p.from + b.from, p.from + b.to},
                   blocks_[static_cast<std::size_t>(b.from / grain)]);
    });
  }

  std::ptrdiff_t write(std::ptrdiff_t /*kept*/) {
    for (std::vector<T>& b : blocks_)
      work_.to_.insert(work_.to_.end(), std::move_iterator(b.begin()), std::move_iterator(b.end()));
    return static_cast<std::ptrdiff_t>(work_.to_.size());
  }

 private:
  const appends& work_;
  std::vector<std::vector<T>> blocks_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
