// SPDX-License-Identifier: Apache-2.0
// This checks the keys that are numbers of buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/platform/decimal.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

[[noreturn, gnu::cold]] NOPAL_NOINLINE inline void no_such_bucket(std::size_t key,
                                                                  std::size_t buckets) {
  throw std::out_of_range("nopal: a key is " + detail::decimal(static_cast<std::intmax_t>(key)) +
                          ", and there are " +
                          detail::decimal(static_cast<std::intmax_t>(buckets)) + " buckets");
}

/// Calls a key projection, and returns the result as the number of a bucket.
template <class Key>
struct bucket_key {
  const Key& key;
  std::size_t buckets;

  /// \throws std::out_of_range if there is no such bucket.
  template <class X>
  std::size_t operator()(X&& x) const {
    const auto bucket = static_cast<std::size_t>(std::invoke(key, std::forward<X>(x)));
    if (bucket >= buckets) [[unlikely]]
      no_such_bucket(bucket, buckets);
    return bucket;
  }
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
