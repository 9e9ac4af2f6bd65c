// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/sort/sort_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef NOPAL_HAS_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

#ifdef NOPAL_HAS_HIGHWAY

namespace {

/// Moves all NaN to the end. Returns how many numbers come before them. Without a NaN this is one
/// pass of vector instructions.
template <class T>
std::size_t without_nan(T* keys, std::size_t n) {
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) any |= keys[i] != keys[i];
  if (!any) return n;
  return static_cast<std::size_t>(std::partition(keys, keys + n, [](T x) { return x == x; }) -
                                  keys);
}

/// Sorts by Highway's vqsort, which chooses the instructions for the processor when it first runs.
/// It reads a `long long` as a std::int64_t, which is a `long`: no compiler sees both sides of this
/// call, since Highway's functions are not inline.
///
/// A NaN would take it out of the array, since no pivot is on either side of one. So all NaN go to
/// the end beforehand.
template <class T, class Order>
void sort_by_highway(void* keys, std::size_t n) {
  if constexpr (std::is_floating_point_v<T>) n = without_nan(static_cast<T*>(keys), n);
  const hwy::Sorter sorter;
  sorter(static_cast<T*>(keys), n, Order{});
}

template <class T>
constexpr key_sorter highway(key_order order) noexcept {
  return order == key_order::ascending ? sort_by_highway<T, hwy::SortAscending>
                                       : sort_by_highway<T, hwy::SortDescending>;
}

}  // namespace

key_sorter sorter_of_keys(key_kind kind, std::size_t bytes, key_order order) noexcept {
  if (kind == key_kind::floating) {
    if (bytes == sizeof(float)) return highway<float>(order);
    return hwy::Sorter::HaveFloat64() ? highway<double>(order) : nullptr;
  }
  const bool is_signed = kind == key_kind::signed_integer;
  switch (bytes) {
    case 2:
      return is_signed ? highway<std::int16_t>(order) : highway<std::uint16_t>(order);
    case 4:
      return is_signed ? highway<std::int32_t>(order) : highway<std::uint32_t>(order);
    case 8:
      return is_signed ? highway<std::int64_t>(order) : highway<std::uint64_t>(order);
    default:
      return nullptr;
  }
}

#else

key_sorter sorter_of_keys(key_kind, std::size_t, key_order) noexcept { return nullptr; }

#endif

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
