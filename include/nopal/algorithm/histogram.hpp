// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/bucket_key.hpp"
#include "nopal/detail/algorithm/keys/count_buckets.hpp"
#include "nopal/detail/algorithm/keys/distribute.hpp"
#include "nopal/detail/algorithm/keys/radix_key.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct histogram_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr auto what_is_left = refusal::integer_key;
  static constexpr std::size_t function_at = 1;
  using function = std::identity;

  template <class I, multipass_by<I> S, std::integral N, integer_key<I> Key = std::identity>
  std::vector<std::size_t> operator()(grain g, I first, S last, N buckets, Key key = {}) const {
    const auto all = cut(g, std::move(first), last);
    std::vector<std::size_t> counts(static_cast<std::size_t>(buckets));
    if (all.size <= 0) return counts;
    const auto& projection = projection_to_end<I>(key);
    const bucket_key<std::remove_cvref_t<decltype(projection)>> bucket_of{projection,
                                                                          counts.size()};
    if constexpr (splittable_by<S, I>) {
      if (all.size >= least_distributed && are_many(counts.size(), all.size)) {
        count_many(all.first, all.size, counts, bucket_of);
        return counts;
      }
    }
    count(all, counts, bucket_of);
    return counts;
  }

 private:
  // A distribution is not worth while for fewer elements.
  static constexpr std::ptrdiff_t least_distributed = 1 << 18;

  /// Whether there are so many buckets that blocks with counts of their own would be few.
  static bool are_many(std::size_t buckets, std::ptrdiff_t n) {
    return buckets > static_cast<std::size_t>(n) / 16;
  }

  template <class Elements, class BucketOf>
  static void count(const Elements& all, std::vector<std::size_t>& counts,
                    const BucketOf& bucket_of) {
    const auto leaf = [&](part p, std::size_t* to) {
      auto at = advanced(all.first, p.from);
      const BucketOf of = bucket_of;  // a local variable, which no store to a count can change
      std::ptrdiff_t left = p.size();
      // No key waits for the count of another.
      for (; left > 4; left -= 4) {
        std::array<std::size_t, 4> buckets;
        for (std::size_t& b : buckets) {
          b = of(*at);
          ++at;
        }
        for (const std::size_t b : buckets) ++to[b];
      }
      for (; left != 0; step_on(at, --left)) ++to[of(*at)];
    };
    const std::ptrdiff_t chosen = chosen_grain(all.policy.elements, all.size);
    const auto buckets = static_cast<std::ptrdiff_t>(counts.size());
    // The grain of a range that was walked stays a whole number of its blocks.
    const std::ptrdiff_t blocks = std::max<std::ptrdiff_t>(1, (buckets - 1) / chosen + 1);
    if (all.size <= chosen * blocks) {
      check_block();
      leaf({0, all.size}, counts.data());
    } else {
      bucket_counter(counts.size(), chosen * blocks, leaf).count({0, all.size}, counts.data());
    }
  }

  /// Distributes the numbers of the buckets over 256 parts, and counts within each. So the counts
  /// that one strand writes to lie together, and no others write there.
  template <class I, class BucketOf>
  static void count_many(I first, std::ptrdiff_t n, std::vector<std::size_t>& counts,
                         const BucketOf& bucket_of) {
    const int shift =
        std::max(0, static_cast<int>(std::bit_width(counts.size() - 1)) - bits_of_part);
    const raw_buffer<std::size_t> buffer(n);
    std::size_t* const sorted = buffer.data();
    bucket_offsets offsets(n, std::size_t{1} << bits_of_part, distribution_grain(n));
    offsets.count(
        [=, &bucket_of](std::ptrdiff_t i) { return bucket_of(*advanced(first, i)) >> shift; });
    offsets.write(
        [=, &bucket_of](std::ptrdiff_t i) { return bucket_of(*advanced(first, i)) >> shift; },
        [=, &bucket_of](std::ptrdiff_t i, std::ptrdiff_t to) {
          sorted[to] = bucket_of(*advanced(first, i));
        });
    for_each_block({0, std::ptrdiff_t{1} << bits_of_part}, 1, [&](part parts) {
      for (std::ptrdiff_t p = parts.from; p < parts.to; ++p)
        count_part(sorted, offsets, static_cast<std::size_t>(p), shift, counts);
    });
  }
  static constexpr int bits_of_part = 8;

  static void count_part(const std::size_t* sorted, const bucket_offsets& offsets, std::size_t p,
                         int shift, std::vector<std::size_t>& counts) {
    const part elements{offsets.begin(p), offsets.end(p)};
    if (elements.size() == 0) return;
    const std::size_t from = p << shift;
    const std::size_t to = std::min(counts.size(), (p + 1) << shift);
    const auto leaf = [=](part block, std::size_t* of_part) {
      for (std::ptrdiff_t i = block.from; i < block.to; ++i) ++of_part[sorted[i] - from];
    };
    const std::ptrdiff_t grain =
        std::max(std::ptrdiff_t{16384}, static_cast<std::ptrdiff_t>(to - from));
    bucket_counter(to - from, grain, leaf).count(elements, counts.data() + from);
  }
};

}  // namespace algorithm_detail

/// Counts the elements of a range by an integer of each: histogram(range, buckets, key = {}) or
/// histogram(first, last, buckets, key = {}).
/// \code
/// const std::vector<int> v{3, 0, 3, 1};
/// const std::vector<std::size_t> counts = nopal::histogram(v, 4);  // 1 1 0 2
/// const auto digits = nopal::histogram(0, 1000, 10, [](int i) { return i % 10; });
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param buckets  how many counts there are.
/// \param key  returns an integer from 0 up to, but not including, buckets; called by several
/// workers at once, as const, several times for an element if there are many buckets, and then with
/// the same result. Tasks are as with for_each.
/// \returns how many elements have each key.
/// \throws std::out_of_range if a key is no number of a bucket; whatever key throws;
/// std::bad_alloc. If the range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n + buckets). Memory for the counts, and once more for each part that is stolen.
/// If there are more than n / 16 buckets, and elements enough for that to matter, memory for n
/// numbers instead.
/// Source: parlaylib's histogram_by_index.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::histogram_function>
    histogram{};

}  // namespace parallel
}  // namespace nopal
