// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the algorithms, with a range above all; see check_calls.py.
#include "nopal/algorithm.hpp"

#include <forward_list>
#include <functional>
#include <iterator>
#include <ranges>
#include <sstream>
#include <utility>
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
#elif NOPAL_REFUSED == 12
  // says: nopal: the function cannot be called with the elements
  nopal::for_each(out, [](std::vector<int>&) {}, {.grain = 10});
#elif NOPAL_REFUSED == 13
  // says: nopal: the elements must be reached at random
  nopal::sort(other);
#elif NOPAL_REFUSED == 14
  // says: nopal: the elements cannot be moved to each other's places
  nopal::sort(std::as_const(out));
#elif NOPAL_REFUSED == 15
  // says: nopal: elements of std::vector<bool> share words
  std::vector<bool> bits(3);
  nopal::sort(bits);
#elif NOPAL_REFUSED == 16
  // says: nopal: what the function returns is neither true nor false
  nopal::copy_if(list, out.begin(), [](int) { return std::vector<int>(); });
#elif NOPAL_REFUSED == 17
  // says: nopal: where to write is given as an iterator
  nopal::copy_if(list, out, [](int) { return true; });
#elif NOPAL_REFUSED == 18
  // says: nopal: several workers call the function at the same time
  static_cast<void>(nopal::find_if(list, [calls = 0](int) mutable { return ++calls > 1; }));
#elif NOPAL_REFUSED == 19
  // says: nopal: a second range, or its two iterators, is missing
  static_cast<void>(nopal::equal(out));
#elif NOPAL_REFUSED == 20
  // says: nopal: the algorithm does not take these arguments
  static_cast<void>(nopal::reduce_by_key(out));
#elif NOPAL_REFUSED == 21
  // says: nopal: behind the range comes an iterator that says where it is to be divided
  nopal::partial_sort(out, 2);
#elif NOPAL_REFUSED == 22
  // says: nopal: where to write must be a random-access iterator
  nopal::merge(out, out, std::back_inserter(out));
#elif NOPAL_REFUSED == 23
  // says: nopal: behind the range comes a seed
  nopal::shuffle(out);
#elif NOPAL_REFUSED == 24
  // says: nopal: each element has an integer as its key
  static_cast<void>(nopal::histogram(std::vector<double>(3), 10));
#elif NOPAL_REFUSED == 25
  // says: nopal: the elements cannot be moved to each other's places
  nopal::integer_sort(std::as_const(out));
#endif
}
