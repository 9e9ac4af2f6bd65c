// SPDX-License-Identifier: Apache-2.0
// Programs that must not compile, one for each value of NOPAL_REFUSED; with 0 this file is right,
// and compiles.
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
  nopal::for_each(std::ranges::istream_view<int>(input), [](int) {});
#elif NOPAL_REFUSED == 2
  nopal::for_each(std::istream_iterator<int>(input), std::istream_iterator<int>(), [](int) {});
#elif NOPAL_REFUSED == 3
  nopal::map(std::ranges::istream_view<int>(input), out.begin(), std::negate<>{});
#elif NOPAL_REFUSED == 4
  static_cast<void>(nopal::fold(std::ranges::istream_view<int>(input), std::plus<>{}));
#elif NOPAL_REFUSED == 5
  nopal::scan(std::ranges::istream_view<int>(input), out.begin(), std::plus<>{});
#elif NOPAL_REFUSED == 6
  nopal::for_each(std::views::iota(0), [](int) {});
#elif NOPAL_REFUSED == 7
  nopal::map(list, other.begin(), std::negate<>{});
#elif NOPAL_REFUSED == 8
  nopal::scan(list, other.begin(), std::plus<>{});
#elif NOPAL_REFUSED == 9
  nopal::for_each(out, [calls = 0](int) mutable { ++calls; });
#elif NOPAL_REFUSED == 10
  nopal::for_each(nopal::grain{10}, out, [](std::vector<int>&) {});
#elif NOPAL_REFUSED == 11
  nopal::for_each(0, 1.5, [](int) {});
#endif
}
