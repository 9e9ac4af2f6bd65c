// SPDX-License-Identifier: Apache-2.0
// This sorts plain values by unsigned keys, without comparing them.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/distribute.hpp"
#include "nopal/detail/algorithm/keys/radix_block.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What is moved from place to place by a radix sort. An exception or a stop can lose none of such
/// elements, as they are copied. Others are sorted by a number that stands for them.
template <class T>
inline constexpr bool moved_by_digits = plain_value<T> && sizeof(T) <= 32;

/// A range is put into buckets by the highest digit in which its keys differ, by all workers. Each
/// bucket that fits into a cache is then sorted by one strand, by all digits that are left, from
/// the lowest to the highest, and a larger one is treated as the range is. So a bucket that has
/// most of the elements is shared by all workers too.
///
/// Elements go to and fro between the range and a buffer. A bucket lies in one of the two, and is
/// wanted in one of the two. Whatever is thrown, it is in the place where it is wanted in the end,
/// in some order. So no element is lost.
template <class T, class Key>
class radix_sorter {
 public:
  using digits = std::decay_t<std::invoke_result_t<const Key&, T&>>;

  explicit radix_sorter(const Key& key) : key_(key) {}

  /// Sorts n elements.
  /// \throws whatever the key does for an element whose key is asked for the first time: the range
  /// is then as it was. Also std::bad_alloc and nopal::stopped.
  void run(T* all, std::ptrdiff_t n) const {
    if (n < 2) return;
    if (n <= least_shared) {
      const digits differing = differing_in(all, 0, n);
      if (differing == 0) return;
      if (n <= most_inserted) return insertion_sort(all, all, n, key_);
      const raw_buffer<T> buffer(n);
      return sort_digits(all, buffer.data(), n, false, key_, differing);
    }
    const raw_buffer<T> buffer(n);
    sort({all, buffer.data(), n, false}, n);
  }

 private:
  /// Elements that lie in `from`. They are wanted there, or in `to`.
  struct bucket {
    T* from;
    T* to;
    std::ptrdiff_t size;
    bool goes;  ///< Whether they are wanted in `to`.
  };

  // A fork and the counts of a distribution are not worth while for fewer elements.
  static constexpr std::ptrdiff_t least_shared = 16384;
  // This many elements, and as many in the buffer, fit into a second-level cache.
  static constexpr std::ptrdiff_t most_alone = std::ptrdiff_t{1 << 18} / std::ptrdiff_t{sizeof(T)};
  // A distribution leaves about so many elements in a bucket if their keys are spread evenly.
  static constexpr int bits_in_bucket = 11;

  /// Returns how many bits a distribution of n elements takes. With one more, blocks write to twice
  /// as many places. That is worth while if then one strand sorts what is in each.
  static constexpr int bits_of_distribution(std::ptrdiff_t n) noexcept {
    return n >> 8 > most_alone && n >> 9 <= most_alone - most_alone / 8 ? 9 : 8;
  }

  /// Sorts elements whose keys differ in any bits.
  /// \param n  how many elements are sorted in all.
  void sort(const bucket& b, std::ptrdiff_t n) const {
    std::ptrdiff_t distributed = 0;
    try {
      const digits differing = differing_bits(b);
      if (differing == 0) return settle(b);
      const int width = static_cast<int>(std::bit_width(differing));
      const int most =
          static_cast<int>(std::bit_width(static_cast<std::size_t>(b.size))) - bits_in_bucket;
      const int taken = std::min({width, most, bits_of_distribution(b.size)});
      const int shift = width - taken;
      const digits mask = static_cast<digits>((digits{1} << taken) - 1);
      const auto digit = [=, from = b.from, key = key_](std::ptrdiff_t i) {
        return static_cast<std::size_t>((key(from[i]) >> shift) & mask);
      };
      bucket_offsets offsets(b.size, std::size_t{1} << taken, distribution_grain(b.size));
      offsets.count(digit);
      std::vector<unsigned char> done(std::size_t{1} << taken);
      offsets.write(digit,
                    [&](std::ptrdiff_t i, std::ptrdiff_t to) { b.to[to] = std::move(b.from[i]); });
      distributed = b.size;
      const digits rest = differing & static_cast<digits>((digits{1} << shift) - 1);
      sort_buckets(b, offsets, done, rest, n);
    } catch (...) {
      if (distributed == 0) settle(b);
      throw;
    }
  }

  /// Sorts the buckets of a range that has been distributed.
  void sort_buckets(const bucket& b, const bucket_offsets& offsets,
                    std::vector<unsigned char>& done, digits differing, std::ptrdiff_t n) const {
    const auto number = [&](std::size_t i) {
      const std::ptrdiff_t at = offsets.begin(i);
      return bucket{b.to + at, b.from + at, offsets.end(i) - at, !b.goes};
    };
    try {
      for_each_block({0, static_cast<std::ptrdiff_t>(done.size())}, 1, [&](part buckets) {
        for (std::ptrdiff_t i = buckets.from; i < buckets.to; ++i) {
          const auto at = static_cast<std::size_t>(i);
          done[at] = 1;  // from here on it is this bucket that settles itself
          sort_bucket(number(at), differing, n);
        }
      });
    } catch (...) {
      for (std::size_t i = 0; i < done.size(); ++i)
        if (done[i] == 0) settle(number(i));
      throw;
    }
  }

  void sort_bucket(const bucket& b, digits differing, std::ptrdiff_t n) const {
    if (b.size < 2 || differing == 0) return settle(b);
    if (b.size > least_shared && (b.size > most_alone || b.size > n / 8)) return sort(b, n);
    sort_digits(b.from, b.to, b.size, b.goes, key_, differing);
  }

  /// Brings elements to where they are wanted, in the order in which they are.
  static void settle(const bucket& b) noexcept {
    if (b.goes) std::move(b.from, b.from + b.size, b.to);
  }

  /// Returns the bits in which the keys of some elements differ from the first key of all.
  [[nodiscard]] digits differing_in(T* all, std::ptrdiff_t from, std::ptrdiff_t to) const {
    const digits first = key_(all[0]);
    digits differing = 0;
    for (std::ptrdiff_t i = from; i < to; ++i) differing |= key_(all[i]) ^ first;
    return differing;
  }
  [[nodiscard]] digits differing_bits(const bucket& b) const {
    std::atomic<digits> all = 0;
    for_each_block({0, b.size}, 0, [&](part p) {
      // The end of the loop orders this before the load below.
      all.fetch_or(differing_in(b.from, p.from, p.to), std::memory_order_relaxed);
    });
    return all.load(std::memory_order_relaxed);
  }

  const Key& key_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
