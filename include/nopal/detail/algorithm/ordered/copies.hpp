// SPDX-License-Identifier: Apache-2.0
// These copy what is kept of a range, and perhaps the rest to another place. What a thief sees of a
// predicate it remembers as bits, so each element is copied once, to where it belongs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A work of ordered_output. `First` is an iterator, or the blocks of a walked range.
template <class First, class Test, class Kept, class Rest>
class copies {
 public:
  using head = typename Test::head;
  class remembered;

  copies(First first, Test test, Kept kept, Rest rest)
      : first_(first), test_(test), kept_(kept), rest_(rest) {}

  static head first_head() { return Test::first_head(); }
  [[nodiscard]] head head_of(std::ptrdiff_t i) const { return test_.head_of(first_, i); }

  std::ptrdiff_t write(part p, std::ptrdiff_t kept, head h) const {
    writer to(*this, p.from, kept);
    visit(p, h, [&](const auto& at, bool keep) { to.write(at, keep); });
    return to.count;
  }

 private:
  static constexpr bool keeps_rest = !std::is_same_v<Rest, nowhere>;

  /// Writes elements in their order.
  struct writer {
    writer(const copies& c, std::ptrdiff_t from, std::ptrdiff_t before)
        : kept(advanced(c.kept_, before)),
          rest(advanced_unless_nowhere(c.rest_, from - before)),
          count(before) {}
    template <class I>
    void write(const I& at, bool keep) {
      if (keep) {
        *kept = *at;
        ++kept;
        ++count;
      } else if constexpr (keeps_rest) {
        *rest = *at;
        ++rest;
      }
    }
    Kept kept;
    [[no_unique_address]] Rest rest;
    std::ptrdiff_t count;
  };

  /// Calls f(iterator, whether the element is kept) for each element of a part.
  template <class F>
  void visit(part p, head h, const F& f) const {
    auto at = advanced(first_, p.from);
    std::ptrdiff_t left = p.size();
    if constexpr (Test::looks_back) {
      f(at, h);
      for (auto before = at; --left > 0; before = at) {
        ++at;
        f(at, test_(before, at));
      }
    } else {
      for (; left != 0; step_on(at, --left)) f(at, test_(at));
    }
  }

  First first_;
  Test test_;
  Kept kept_;
  [[no_unique_address]] Rest rest_;
};

template <class First, class Test, class Kept, class Rest>
class copies<First, Test, Kept, Rest>::remembered {
 public:
  remembered(const copies& work, part p, std::ptrdiff_t grain, head h)
      : work_(work),
        part_(p),
        grain_(std::min(grain, p.size())),
        offsets_(p.size(), grain_),
        words_in_block_((grain_ - 1) / word + 1),
        bits_(std::make_unique_for_overwrite<std::uint64_t[]>(
            static_cast<std::size_t>(offsets_.blocks() * words_in_block_))) {
    for_each_block({0, p.size()}, static_cast<std::size_t>(grain_), [this, h](part b) {
      const part elements{part_.from + b.from, part_.from + b.to};
      look(elements, b.from / grain_, b.from == 0 ? h : work_.head_of(elements.from));
    });
  }

  std::ptrdiff_t write(std::ptrdiff_t kept) {
    const std::ptrdiff_t end = kept + offsets_.add_up();
    for_each_block({0, offsets_.blocks()}, 0, [this, kept](part blocks) {
      for (std::ptrdiff_t i = blocks.from; i < blocks.to; ++i)
        write_block(i, kept + offsets_.before(i));
    });
    return end;
  }

 private:
  static constexpr std::ptrdiff_t word = 64;

  [[nodiscard]] std::uint64_t* bits_of(std::ptrdiff_t block) const {
    return &bits_[static_cast<std::size_t>(block * words_in_block_)];
  }
  void look(part p, std::ptrdiff_t block, head h) {
    std::uint64_t* to = bits_of(block);
    std::uint64_t bits = 0;
    std::ptrdiff_t i = 0, kept = 0;
    work_.visit(p, h, [&](const auto&, bool keep) {
      bits |= static_cast<std::uint64_t>(keep) << (i % word);
      kept += keep;
      if (++i % word != 0) return;
      *to++ = bits;
      bits = 0;
    });
    if (i % word != 0) *to = bits;
    offsets_.set_kept(block, kept);
  }
  void write_block(std::ptrdiff_t block, std::ptrdiff_t before) const {
    const part p{part_.from + block * grain_,
                 std::min(part_.to, part_.from + (block + 1) * grain_)};
    const std::uint64_t* bits = bits_of(block);
    writer to(work_, p.from, before);
    auto at = advanced(work_.first_, p.from);
    for (std::ptrdiff_t i = 0; i < p.size(); step_on(at, p.size() - ++i))
      to.write(at, (bits[i / word] >> (i % word) & 1) != 0);
  }

  const copies& work_;
  part part_;
  std::ptrdiff_t grain_;
  block_offsets offsets_;
  std::ptrdiff_t words_in_block_;
  std::unique_ptr<std::uint64_t[]> bits_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
