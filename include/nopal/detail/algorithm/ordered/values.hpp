// SPDX-License-Identifier: Apache-2.0
// These do what the works of copies.hpp do for small plain values, without a branch on what
// a predicate says: a processor cannot foresee it, and to have foreseen wrongly costs more than to
// write a value in vain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/ordered/split_values.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether the elements of I are written without branches.
template <class I>
inline constexpr bool plain_values =
    small_value<std::iter_value_t<I>> &&
    std::is_same_v<std::remove_cvref_t<std::iter_reference_t<I>>, std::iter_value_t<I>>;

template <>
class raw_buffer<nowhere> {
 public:
  explicit raw_buffer(std::ptrdiff_t /*n*/) {}
  [[nodiscard]] static nowhere data() noexcept { return {}; }
};

/// A place that has room for all elements that are looked at: the range itself, or memory of the
/// algorithm. A value may be written there before it is known whether it is kept.
template <class T>
struct roomy {
  T* at;
};
/// A place at the end of a vector.
template <class T>
struct appended {
  std::vector<T>* to;
};

template <class Place>
inline constexpr bool has_room = std::is_same_v<Place, nowhere>;
template <class T>
inline constexpr bool has_room<roomy<T>> = true;
template <class Place>
inline constexpr bool grows = false;
template <class T>
inline constexpr bool grows<appended<T>> = true;

/// Copies n values to a place, where `before` are already.
template <class T, class Place>
void copy_values(const T* from, std::ptrdiff_t n, const Place& place, std::ptrdiff_t before) {
  std::copy_n(from, n, advanced(place, before));
}
template <class T>
void copy_values(const T* from, std::ptrdiff_t n, roomy<T> place, std::ptrdiff_t before) {
  std::copy_n(from, n, place.at + before);
}
template <class T>
void copy_values(const T* from, std::ptrdiff_t n, appended<T> place, std::ptrdiff_t /*before*/) {
  place.to->insert(place.to->end(), from, from + n);
}
template <class T>
void copy_values(nowhere /*from*/, std::ptrdiff_t /*n*/, const T&, std::ptrdiff_t /*before*/) {}

template <class T>
T* behind(roomy<T> place, std::ptrdiff_t n) {
  return place.at + n;
}

/// A work of ordered_output, for plain values.
/// \tparam Kept, Rest  each a roomy place, or a place that has only as much room as is needed. What
/// goes to the latter comes by way of a small buffer on the stack.
template <class I, class Test, class Kept, class Rest>
class values {
 public:
  using T = std::iter_value_t<I>;
  using head = typename Test::head;
  class remembered;

  values(I first, Test test, Kept kept, Rest rest)
      : first_(first), test_(test), kept_(kept), rest_(rest) {}

  static head first_head() { return Test::first_head(); }
  [[nodiscard]] head head_of(std::ptrdiff_t i) const { return test_.head_of(first_, i); }

  std::ptrdiff_t write(part p, std::ptrdiff_t kept, head h) const {
    if constexpr (has_room<Kept> && has_room<Rest>) {
      return kept + split(p, h, behind(kept_, kept), behind(rest_, p.from - kept));
    } else {
      for (std::ptrdiff_t to = p.from; p.from < p.to; p.from = to) {
        to = std::min(p.to, p.from + in_buffer);
        const head next = to < p.to ? head_of(to) : head();
        kept += write_buffered({p.from, to}, kept, h);
        h = next;
      }
      return kept;
    }
  }

 private:
  static constexpr bool keeps_rest = !std::is_same_v<Rest, nowhere>;
  static constexpr std::ptrdiff_t in_buffer = 4096 / static_cast<std::ptrdiff_t>(sizeof(T));
  using rest_pointer = std::conditional_t<keeps_rest, T*, nowhere>;

  /// Splits a part. Returns how many are kept.
  std::ptrdiff_t split(part p, head h, T* kept, rest_pointer rest) const {
    splitter<I, Test, rest_pointer> all(advanced(first_, p.from), test_, kept, rest);
    if constexpr (Test::looks_back) {
      T before = *advanced(first_, p.from);
      all.split_first(h, before);
      return all.split(p.size() - 1, &before);
    } else {
      return all.split(p.size(), nullptr);
    }
  }

  std::ptrdiff_t write_buffered(part p, std::ptrdiff_t before, head h) const {
    alignas(T) std::byte of_kept[in_buffer * sizeof(T)];
    alignas(T) std::byte of_rest[keeps_rest ? in_buffer * sizeof(T) : 1];
    T* kept = reinterpret_cast<T*>(of_kept);
    rest_pointer rest{};
    if constexpr (keeps_rest) rest = reinterpret_cast<T*>(of_rest);
    const std::ptrdiff_t count = split(p, h, kept, rest);
    copy_values(kept, count, kept_, before);
    copy_values(rest, p.size() - count, rest_, p.from - before);
    return count;
  }

  I first_;
  Test test_;
  Kept kept_;
  [[no_unique_address]] Rest rest_;
};

/// Remembers the values themselves: the second time they are copied in a row, and the first time
/// took no longer than to remember bits.
template <class I, class Test, class Kept, class Rest>
class values<I, Test, Kept, Rest>::remembered {
 public:
  remembered(const values& work, part p, std::ptrdiff_t grain, head h)
      : work_(work),
        part_(p),
        grain_(std::min(grain, p.size())),
        offsets_(p.size(), grain_),
        kept_(p.size()),
        rest_(p.size()) {
    for_each_block({0, p.size()}, static_cast<std::size_t>(grain_), [this, h](part b) {
      const part elements{part_.from + b.from, part_.from + b.to};
      const head of_block = b.from == 0 ? h : work_.head_of(elements.from);
      offsets_.set_kept(b.from / grain_,
                        work_.split(elements, of_block, behind(kept_.data(), b.from),
                                    behind(rest_.data(), b.from)));
    });
  }

  std::ptrdiff_t write(std::ptrdiff_t kept) {
    const std::ptrdiff_t end = kept + offsets_.add_up();
    const auto write_blocks = [this, kept](part blocks) {
      for (std::ptrdiff_t i = blocks.from; i < blocks.to; ++i) {
        const std::ptrdiff_t at = i * grain_, before = kept + offsets_.before(i);
        copy_values(kept_.data() + at, offsets_.kept(i), work_.kept_, before);
        copy_values(behind(rest_.data(), at),
                    std::min(grain_, part_.size() - at) - offsets_.kept(i), work_.rest_,
                    part_.from + at - before);
      }
    };
    if constexpr (grows<Kept>)
      write_blocks({0, offsets_.blocks()});
    else
      for_each_block({0, offsets_.blocks()}, 0, write_blocks);
    return end;
  }

 private:
  const values& work_;
  part part_;
  std::ptrdiff_t grain_;
  block_offsets offsets_;
  raw_buffer<T> kept_;
  raw_buffer<std::conditional_t<keeps_rest, T, nowhere>> rest_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
