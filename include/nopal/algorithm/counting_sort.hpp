// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/bucket_key.hpp"
#include "nopal/detail/algorithm/keys/distribute.hpp"
#include "nopal/detail/algorithm/keys/keyed.hpp"
#include "nopal/detail/algorithm/keys/numbered.hpp"
#include "nopal/detail/algorithm/keys/radix_key.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct counting_sort_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr auto what_is_left = refusal::integer_key;
  static constexpr std::size_t function_at = 2;
  using function = std::identity;

  template <class I, multipass_by<I> S, std::random_access_iterator O, std::integral N,
            integer_key<I> Key = std::identity>
    requires elements_apart<O> && std::indirectly_copyable<I, O>
  std::vector<std::size_t> operator()(grain by_hand, I first, S last, O out, N buckets,
                                      Key key = {}) const {
    const auto all = numbered(std::move(first), last);
    return run(all, unwrapped(out), static_cast<std::size_t>(buckets), by_hand,
               projection_to_end<I>(key));
  }

 private:
  // If there are more buckets, the elements are cut into few blocks, or into one.
  static bool are_many(std::size_t buckets, std::ptrdiff_t n) {
    return buckets > std::max<std::size_t>(4096, static_cast<std::size_t>(n) / 16);
  }

  template <class Elements, class O, class Key>
  static std::vector<std::size_t> run(const Elements& all, O out, std::size_t buckets, grain g,
                                      const Key& key) {
    const std::ptrdiff_t n = all.size();
    const bucket_key<Key> bucket_of{key, buckets};
    const auto bucket = [&](std::ptrdiff_t i) { return bucket_of(all[i]); };
    const auto write = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      *advanced(out, to) = all[from];
    };
    if (are_many(buckets, n)) return by_sorting(n, buckets, bucket, write);
    bucket_offsets offsets(n, buckets,
                           g.elements == 0 ? distribution_grain(n) : chosen_grain(g.elements, n));
    offsets.count(bucket);
    offsets.write(bucket, write);
    return std::move(offsets.all());
  }

  template <class BucketOf, class Write>
  static std::vector<std::size_t> by_sorting(std::ptrdiff_t n, std::size_t buckets,
                                             const BucketOf& bucket_of, const Write& write) {
    const raw_buffer<keyed<std::size_t>> buffer(n);
    const keyed<std::size_t>* const order = buffer.data();
    note_keys(buffer.data(), n, bucket_of);
    sort_keyed(buffer.data(), n);
    std::vector<std::size_t> offsets(buckets + 1, static_cast<std::size_t>(n));
    if (n == 0) return offsets;
    for_each_block({0, n}, 0, [&](part p) {
      for (std::ptrdiff_t i = p.from; i < p.to; ++i) {
        write(static_cast<std::ptrdiff_t>(order[i].at), i);
        // Buckets without elements begin where the next one does that has some.
        for (std::size_t b = i == 0 ? 0 : order[i - 1].key + 1; b <= order[i].key; ++b)
          offsets[b] = static_cast<std::size_t>(i);
      }
    });
    return offsets;
  }
};

}  // namespace algorithm_detail

/// Copies the elements of a range into buckets: counting_sort(range, out, buckets, key = {}) or
/// counting_sort(first, last, out, buckets, key = {}). The key of an element is the number of its
/// bucket. Bucket 0 comes first; within a bucket elements keep their order.
/// \code
/// const std::vector<int> v{5, 3, 8, 4};
/// std::vector<int> sorted(v.size());
/// const auto offsets = nopal::counting_sort(v, sorted.begin(), 2, [](int x) { return x % 2; });
/// // sorted is 8 4 5 3; the odd ones are those from offsets[1] to offsets[2]
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param out  a random-access iterator to as many elements as the range has, none of which the
/// range has itself.
/// \param buckets  how many there are.
/// \param key  returns an integer from 0 up to, but not including, buckets; called by several
/// workers at once, as const, perhaps twice for an element, and then with the same result. Tasks
/// are as with for_each.
/// \returns where each bucket begins, and after those the size of the range: buckets + 1 numbers.
/// \throws std::out_of_range if a key is no number of a bucket, or whatever key throws, before
/// anything has been written; whatever an assignment throws, std::bad_alloc, or nopal::stopped, and
/// then some of out has been written. If the range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n + buckets), and memory for n / 2 + buckets numbers at most. If there are more
/// than 4096 buckets, and than n / 16, their numbers are sorted as with integer_sort, with memory
/// for 4n numbers.
/// Source: Blelloch 1990, section 1.3.1; parlaylib's function of this name.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::counting_sort_function>
    counting_sort{};

}  // namespace parallel
}  // namespace nopal
