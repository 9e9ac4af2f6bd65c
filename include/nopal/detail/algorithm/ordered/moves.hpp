// SPDX-License-Identifier: Apache-2.0
// These move what is kept of a range to its beginning, and perhaps the rest to a vector. What a
// thief keeps waits in vectors, since its place may be one that another strand has not read yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
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

/// A work of ordered_output, in place.
/// \tparam Rest  nowhere, or a pointer to a vector.
template <class I, class Test, class Rest>
class moves {
 public:
  using T = std::iter_value_t<I>;
  using head = typename Test::head;
  class remembered;

  moves(I first, Test test, Rest rest) : first_(first), test_(test), rest_(rest) {}

  static head first_head() { return Test::first_head(); }
  [[nodiscard]] head head_of(std::ptrdiff_t i) const { return test_.head_of(first_, i); }

  std::ptrdiff_t write(part p, std::ptrdiff_t kept, head h) const {
    I to = advanced(first_, kept);
    visit(
        p, h,
        [&](const I& at) {
          if (to != at) *to = std::ranges::iter_move(at);
          return to++;
        },
        [&](const I& at) {
          if constexpr (keeps_rest) rest_->push_back(std::ranges::iter_move(at));
        });
    return static_cast<std::ptrdiff_t>(to - first_);
  }

 private:
  static constexpr bool keeps_rest = !std::is_same_v<Rest, nowhere>;

  /// Calls keep(iterator), which returns an iterator to where the element is then, or
  /// drop(iterator) for each element of a part. An element that is not kept stays where it is until
  /// the next one has been compared with it.
  template <class Keep, class Drop>
  void visit(part p, head h, const Keep& keep, const Drop& drop) const {
    I at = advanced(first_, p.from);
    const I end = advanced(first_, p.to);
    if constexpr (Test::looks_back) {
      using place = decltype(keep(at));
      place before{};
      bool moved = h;
      for (bool wanted = h; at != end;) {
        if (wanted)
          before = keep(at);
        else
          drop(at);
        moved = wanted;
        const I last = at++;
        if (at != end) wanted = moved ? test_(before, at) : test_(last, at);
      }
    } else {
      for (; at != end; ++at) {
        if (test_(at))
          keep(at);
        else
          drop(at);
      }
    }
  }

  I first_;
  Test test_;
  [[no_unique_address]] Rest rest_;
};

template <class I, class Test, class Rest>
class moves<I, Test, Rest>::remembered {
 public:
  remembered(const moves& work, part p, std::ptrdiff_t grain, head h)
      : work_(work),
        part_(p),
        grain_(std::min(grain, p.size())),
        offsets_(p.size(), grain_),
        blocks_(static_cast<std::size_t>(offsets_.blocks())) {
    // The heads come first: a block's strand moves the element that the next block's head is
    // compared with.
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      blocks_[i].first =
          i == 0 ? h : work_.head_of(p.from + static_cast<std::ptrdiff_t>(i) * grain_);
    for_each_block({0, p.size()}, static_cast<std::size_t>(grain_), [this](part b) {
      const std::ptrdiff_t i = b.from / grain_;
      offsets_.set_kept(i, move_out({part_.from + b.from, part_.from + b.to},
                                    blocks_[static_cast<std::size_t>(i)]));
    });
  }

  std::ptrdiff_t write(std::ptrdiff_t kept) {
    const std::ptrdiff_t end = kept + offsets_.add_up();
    for_each_block({0, offsets_.blocks()}, 0, [this, kept](part some) {
      for (std::ptrdiff_t i = some.from; i < some.to; ++i)
        std::ranges::move(blocks_[static_cast<std::size_t>(i)].kept,
                          advanced(work_.first_, kept + offsets_.before(i)));
    });
    if constexpr (keeps_rest) {
      for (block& b : blocks_)
        work_.rest_->insert(work_.rest_->end(), std::move_iterator(b.rest.begin()),
                            std::move_iterator(b.rest.end()));
    }
    return end;
  }

 private:
  struct block {
    [[no_unique_address]] head first;
    std::vector<T> kept;
    std::vector<T> rest;
  };

  std::ptrdiff_t move_out(part p, block& to) const {
    work_.visit(
        p, to.first,
        [&to](const I& at) {
          to.kept.push_back(std::ranges::iter_move(at));
          return std::to_address(to.kept.end() - 1);
        },
        [&](const I& at) {
          if constexpr (keeps_rest) to.rest.push_back(std::ranges::iter_move(at));
        });
    return static_cast<std::ptrdiff_t>(to.kept.size());
  }

  const moves& work_;
  part part_;
  std::ptrdiff_t grain_;
  block_offsets offsets_;
  std::vector<block> blocks_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
