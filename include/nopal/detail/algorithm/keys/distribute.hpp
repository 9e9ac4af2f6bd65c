// SPDX-License-Identifier: Apache-2.0
// This puts elements into buckets, in one parallel and stable pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The buckets of a distribution, by their numbers. Bucket b has the elements begin(b)..end(b) of
/// what has been written.
///
/// The range is cut into blocks, and each block counts what it has for each bucket. When all have
/// counted, each knows where its part of each bucket begins, and writes there: no two blocks write
/// to the same place, and within a bucket elements keep their order.
class bucket_offsets {
 public:
  /// \param grain  how long a block is, unless the counts of shorter ones would take more memory
  /// than half of the elements.
  bucket_offsets(std::ptrdiff_t n, std::size_t buckets, std::ptrdiff_t grain)
      : size_(n),
        buckets_(buckets),
        length_(std::max(grain, 2 * static_cast<std::ptrdiff_t>(buckets))),
        blocks_(n == 0 ? 0 : (n - 1) / length_ + 1),
        counts_(static_cast<std::size_t>(std::max<std::ptrdiff_t>(blocks_, 1)) * buckets),
        ends_(buckets + 1) {}

  [[nodiscard]] std::ptrdiff_t begin(std::size_t bucket) const noexcept {
    return static_cast<std::ptrdiff_t>(ends_[bucket]);
  }
  [[nodiscard]] std::ptrdiff_t end(std::size_t bucket) const noexcept { return begin(bucket + 1); }
  /// Where each bucket begins, and after those where the last one ends.
  [[nodiscard]] std::vector<std::size_t>& all() noexcept { return ends_; }

  /// Counts the elements of each bucket.
  /// \param bucket_of  called once with the number of each element.
  template <class BucketOf>
  void count(const BucketOf& bucket_of) {
    if (blocks_ == 0) return;
    for_each_block({0, blocks_}, 1, [&](part blocks) {
      const BucketOf of = bucket_of;  // a local variable, which no store to a count can change
      for (std::ptrdiff_t b = blocks.from; b < blocks.to; ++b) {
        std::size_t* const counts = counts_of(b);
        for (std::ptrdiff_t i = b * length_, end = end_of(b); i < end; ++i) ++counts[of(i)];
      }
    });
    sum_up();
  }

  /// Calls write(from, to) once with the number of each element, and its place.
  /// Precondition: count() has been called with the same bucket_of.
  template <class BucketOf, class Write>
  void write(const BucketOf& bucket_of, const Write& write) {
    if (blocks_ == 0) return;
    for_each_block({0, blocks_}, 1, [&](part blocks) {
      const BucketOf of = bucket_of;
      const Write write_one = write;
      for (std::ptrdiff_t b = blocks.from; b < blocks.to; ++b) {
        std::size_t* const next = counts_of(b);
        for (std::ptrdiff_t i = b * length_, end = end_of(b); i < end; ++i)
          write_one(i, static_cast<std::ptrdiff_t>(next[of(i)]++));
      }
    });
  }

 private:
  std::size_t* counts_of(std::ptrdiff_t block) {
    return counts_.data() + static_cast<std::size_t>(block) * buckets_;
  }
  [[nodiscard]] std::ptrdiff_t end_of(std::ptrdiff_t block) const {
    return std::min(size_, (block + 1) * length_);
  }

  /// Makes of each count the place of the first element that it has counted. The counts are at most
  /// half as many as the elements, so one strand does this.
  void sum_up() {
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      ends_[bucket] = sum;
      for (std::ptrdiff_t block = 0; block < blocks_; ++block)
        sum += std::exchange(counts_of(block)[bucket], sum);
    }
    ends_[buckets_] = sum;
  }

  std::ptrdiff_t size_;
  std::size_t buckets_;
  std::ptrdiff_t length_;
  std::ptrdiff_t blocks_;
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> ends_;
};

/// The length of blocks that one distribution cuts a range into: 64 of them at least, so that they
/// can be shared out, but none so short that it has fewer elements than there are usually buckets.
constexpr std::ptrdiff_t distribution_grain(std::ptrdiff_t n) noexcept {
  return std::clamp<std::ptrdiff_t>(n / 64, 2048, 65536);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
