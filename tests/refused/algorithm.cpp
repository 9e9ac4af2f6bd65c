// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the algorithms, with a range above all; see check_calls.py.
#include "nopal/algorithm.hpp"

#include <forward_list>
#include <functional>
#include <iterator>
#include <ranges>
#include <sstream>
#include <vector>

int main() {
  std::istringstream input("1 2 3");
  const std::forward_list<int> list{1, 2, 3};
  std::forward_list<int> other{1, 2, 3};
  std::vector<int> out(3);
#if NOPAL_REFUSED == 0
  const std::vector<int> numbers{std::istream_iterator<int>(input), std::istream_iterator<int>()};
  nopal::for_each(numbers, [](int) {});
  nopal::map(list, out.begin(), std::negate<>{});
  nopal::map(list, numbers, out.begin(), std::plus<>{});
#elif NOPAL_REFUSED == 1
  // says: nopal: the elements can be read only once
  nopal::for_each(std::ranges::istream_view<int>(input), [](int) {});
#elif NOPAL_REFUSED == 2
  // says: nopal: the elements can be read only once
  nopal::for_each(std::istream_iterator<int>(input), std::istream_iterator<int>(), [](int) {});
#elif NOPAL_REFUSED == 3
  // says: nopal: the elements can be read only once
  nopal::map(std::ranges::istream_view<int>(input), out.begin(), std::negate<>{});
#elif NOPAL_REFUSED == 4
  // says: nopal: the elements can be read only once
  static_cast<void>(nopal::fold(std::ranges::istream_view<int>(input), std::plus<>{}));
#elif NOPAL_REFUSED == 5
  // says: nopal: the elements can be read only once
  nopal::scan(std::ranges::istream_view<int>(input), out.begin(), std::plus<>{});
#elif NOPAL_REFUSED == 6
  // says: nopal: the range has no end
  nopal::for_each(std::views::iota(0), [](int) {});
#elif NOPAL_REFUSED == 7
  // says: nopal: where to write must be a random-access iterator
  nopal::map(list, other.begin(), std::negate<>{});
#elif NOPAL_REFUSED == 8
  // says: nopal: where to write must be a random-access iterator
  nopal::scan(list, other.begin(), std::plus<>{});
#elif NOPAL_REFUSED == 9
  // says: nopal: several workers call the function at the same time
  nopal::for_each(out, [calls = 0](int) mutable { ++calls; });
#elif NOPAL_REFUSED == 10
  // says: nopal: the function cannot be called with the elements
  nopal::for_each(nopal::grain{10}, out, [](std::vector<int>&) {});
#elif NOPAL_REFUSED == 11
  // says: nopal: an algorithm begins with a range
  nopal::for_each(0, 1.5, [](int) {});
#endif
}
