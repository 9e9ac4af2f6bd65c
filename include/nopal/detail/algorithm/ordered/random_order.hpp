// SPDX-License-Identifier: Apache-2.0
// These put elements into a random order that a seed decides, and not which worker does what.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns number i of the sequence of a seed. Source: SplitMix64 (Steele, Lea and Flood, OOPSLA
/// 2014), which is a counter that is mixed, so that any number of it can be had at once.
constexpr std::uint64_t random_number(std::uint64_t seed, std::uint64_t i) noexcept {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

/// The numbers of a seed, one after the other.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : seed_(seed) {}

  std::uint64_t next() noexcept { return random_number(seed_, next_++); }

  /// Returns a number below `bound`, each as likely as the others. Source: Lemire, Fast random
  /// integer generation in an interval, 2019; large bounds by rejection.
  std::uint64_t below(std::uint64_t bound) noexcept {
    if (bound > UINT32_MAX) {
      const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(bound);
      for (;;)
        if (const std::uint64_t x = next() & mask; x < bound) return x;
    }
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint64_t least = (std::uint64_t{1} << 32) % bound;
      while (static_cast<std::uint32_t>(product) < least) product = (next() >> 32) * bound;
    }
    return product >> 32;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// Shuffles n elements in a row (Fisher and Yates). `swap` swaps what two iterators lead to.
template <class I, class Swap>
void shuffle_in_a_row(I first, std::ptrdiff_t n, random_numbers numbers, const Swap& swap) {
  for (std::ptrdiff_t i = n - 1; i > 0; --i) {
    const auto j = static_cast<std::ptrdiff_t>(numbers.below(static_cast<std::uint64_t>(i) + 1));
    if (j != i) swap(advanced(first, i), advanced(first, j));
  }
}

/// Calls f(i) for each i, perhaps at the same time. No stop comes between: f has moved elements to
/// where only the next step finds them.
template <class F>
void for_each_to_the_end(std::ptrdiff_t from, std::ptrdiff_t to, const F& f) noexcept {
  if (to - from == 1) return f(from);
  const std::ptrdiff_t middle = from + (to - from) / 2;
  parallel_invoke([&]() noexcept { for_each_to_the_end(from, middle, f); },
                  [&]() noexcept { for_each_to_the_end(middle, to, f); });
}

/// Shuffles elements whose moves throw nothing. Each goes to a random bucket, and each bucket is
/// shuffled by itself, which makes each order as likely as the others (Sanders, Random permutations
/// on distributed, external and hierarchical memory, 1998). Elements of one block have their places
/// in each bucket side by side, in a number that is counted first. A bucket is small enough for a
/// cache.
template <class I>
class bucket_shuffle {
 public:
  using T = std::iter_value_t<I>;
  /// Fewer elements are shuffled in a row.
  static constexpr std::ptrdiff_t least_elements = std::ptrdiff_t{1} << 14;

  bucket_shuffle(I first, std::ptrdiff_t n, std::uint64_t seed)
      : first_(first),
        n_(n),
        seed_(random_number(seed, 0)),
        bits_(std::min(10, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 13)),
        buckets_(std::ptrdiff_t{1} << bits_),
        block_(std::max<std::ptrdiff_t>(4096, 64 * buckets_)),
        blocks_((n - 1) / block_ + 1),
        counts_(static_cast<std::size_t>(blocks_ * buckets_)),
        begins_(static_cast<std::size_t>(buckets_) + 1),
        memory_(n) {}

  void run() {
    for_each_block({0, blocks_}, 1, [this](part p) {
      for (std::ptrdiff_t b = p.from; b < p.to; ++b) count(b);
    });
    for_each_block({0, buckets_}, 16, [this](part p) { add_up(p); });
    for (std::size_t k = 1; k < begins_.size(); ++k) begins_[k] += begins_[k - 1];
    for_each_to_the_end(0, blocks_, [this](std::ptrdiff_t b) noexcept { scatter(b); });
    for_each_to_the_end(0, buckets_, [this](std::ptrdiff_t k) noexcept { finish(k); });
  }

 private:
  [[nodiscard]] std::size_t bucket_of(std::ptrdiff_t i) const noexcept {
    return static_cast<std::size_t>(random_number(seed_, static_cast<std::uint64_t>(i)) >>
                                    (64 - bits_));
  }
  [[nodiscard]] std::uint32_t* counts_of(std::ptrdiff_t block) noexcept {
    return &counts_[static_cast<std::size_t>(block * buckets_)];
  }
  [[nodiscard]] part elements_of(std::ptrdiff_t block) const noexcept {
    return {block * block_, std::min(n_, (block + 1) * block_)};
  }

  void count(std::ptrdiff_t block) noexcept {
    std::uint32_t* counts = counts_of(block);
    const part p = elements_of(block);
    for (std::ptrdiff_t i = p.from; i < p.to; ++i) ++counts[bucket_of(i)];
  }
  /// Makes of the numbers of each block the places in some buckets where its elements begin.
  void add_up(part buckets) noexcept {
    for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
      std::uint32_t* counts = counts_of(b);
      for (std::ptrdiff_t k = buckets.from; k < buckets.to; ++k) {
        std::ptrdiff_t& size = begins_[static_cast<std::size_t>(k) + 1];
        size += std::exchange(counts[k], static_cast<std::uint32_t>(size));
      }
    }
  }
  void scatter(std::ptrdiff_t block) noexcept {
    std::uint32_t* counts = counts_of(block);
    const part p = elements_of(block);
    I at = advanced(first_, p.from);
    for (std::ptrdiff_t i = p.from; i < p.to; ++i, ++at) {
      const std::size_t k = bucket_of(i);
      std::construct_at(memory_.data() + begins_[k] + counts[k]++, std::ranges::iter_move(at));
    }
  }
  void finish(std::ptrdiff_t k) noexcept {
    const auto bucket = static_cast<std::size_t>(k);
    T* from = memory_.data() + begins_[bucket];
    const std::ptrdiff_t size = begins_[bucket + 1] - begins_[bucket];
    const random_numbers numbers(random_number(~seed_, static_cast<std::uint64_t>(k)));
    shuffle_in_a_row(from, size, numbers, [](T* a, T* b) noexcept {
      T kept(std::move(*a));
      *a = std::move(*b);
      *b = std::move(kept);
    });
    std::move(from, from + size, advanced(first_, begins_[bucket]));
    std::destroy_n(from, size);
  }

  I first_;
  std::ptrdiff_t n_;
  std::uint64_t seed_;
  int bits_;
  std::ptrdiff_t buckets_;
  std::ptrdiff_t block_;
  std::ptrdiff_t blocks_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::ptrdiff_t> begins_;
  raw_buffer<T> memory_;
};

template <class I>
void shuffle_elements(I first, std::ptrdiff_t n, std::uint64_t seed) {
  using T = std::iter_value_t<I>;
  if constexpr (std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                std::is_same_v<std::iter_reference_t<I>, T&>) {
    if (n >= bucket_shuffle<I>::least_elements) return bucket_shuffle<I>(first, n, seed).run();
  }
  shuffle_in_a_row(first, n, random_numbers(seed), [](I a, I b) { std::ranges::iter_swap(a, b); });
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
