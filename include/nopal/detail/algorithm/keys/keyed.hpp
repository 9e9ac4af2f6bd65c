// SPDX-License-Identifier: Apache-2.0
// Elements that a radix sort does not move itself are sorted by these, which stand for them.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/keys/radix_sort.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A key, and the number of the element that has it.
template <class U>
struct keyed {
  U key;
  std::size_t at;
};

template <class U>
struct key_of_keyed {
  constexpr U operator()(const keyed<U>& k) const noexcept { return k.key; }
};

/// Sorts the numbers of elements by their keys; numbers with equal keys keep their order.
template <class U>
void sort_keyed(keyed<U>* all, std::ptrdiff_t n) {
  constexpr key_of_keyed<U> key;
  radix_sorter<keyed<U>, key_of_keyed<U>>(key).run(all, n);
}

/// Notes n elements, with key(i) for the one with the number i, which is called once.
template <class U, class Key>
void note_keys(keyed<U>* all, std::ptrdiff_t n, const Key& key) {
  if (n == 0) return;
  for_each_block({0, n}, 0, [all, &key](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i) all[i] = {key(i), static_cast<std::size_t>(i)};
  });
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
