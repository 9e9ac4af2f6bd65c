// SPDX-License-Identifier: Apache-2.0
#include "algorithm/sorts.hpp"

#include <algorithm>

namespace nopal_bench {

template <class T, class Less>
sort_case<T, Less>::sort_case(distribution d, std::size_t n) : elements_(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) before_ += sum_of_hashes(elements_.made(i));
}

template <class T, class Less>
std::string sort_case<T, Less>::error() const {
  std::uint64_t after = 0;
  for (std::size_t i = 0; i < calls(); ++i) {
    const std::span<const T> sorted = elements_.now(i);
    if (!std::is_sorted(sorted.begin(), sorted.end(), Less())) return "not in order";
    after += sum_of_hashes(sorted);
  }
  return after == before_ ? "" : "not the elements that there were";
}

template <class T, class Less>
std::uint64_t sort_case<T, Less>::result() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < calls(); ++i) sum += checksum(elements_.now(i));
  return sum;
}

template class sort_case<std::uint32_t, by_value>;
template class sort_case<std::uint64_t, by_value>;
template class sort_case<double, by_value>;
template class sort_case<key_value, by_value>;
template class sort_case<std::string, by_value>;
template class sort_case<record, by_value>;
template class sort_case<record, by_place>;
template class sort_case<key_value, by_integer>;

}  // namespace nopal_bench
