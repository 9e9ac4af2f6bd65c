// SPDX-License-Identifier: Apache-2.0
// A parallel find that stops: the first element, in order, that is wanted. When it is found on the
// left, what still searches on the right of it is stopped, on whatever worker.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <nopal/nopal.hpp>
#include <numeric>
#include <optional>
#include <stop_token>
#include <vector>

namespace {

constexpr std::size_t block = 4096;  // elements between two looks at the stop

using position = std::optional<std::size_t>;

/// Returns the first position in [first, last) of which `wanted` holds.
template <class P>
position find(std::size_t first, std::size_t last, const P& wanted) {
  nopal::check_stop();
  if (last - first <= block) {
    for (std::size_t i = first; i < last; ++i)
      if (wanted(i)) return i;
    return {};
  }
  const std::size_t middle = first + (last - first) / 2;
  std::stop_source found_before;
  const auto search_left = [&] {
    const position p = find(first, middle, wanted);
    if (p) found_before.request_stop();
    return p;
  };
  const auto search_right = [&]() -> position {
    try {
      return nopal::with_stop(found_before.get_token(), [&] { return find(middle, last, wanted); });
    } catch (const nopal::stopped&) {
      return {};
    }
  };
  const auto [left, right] = nopal::parallel_invoke(search_left, search_right);
  if (left) return left;
  nopal::check_stop();  // the search on the right may have been stopped from outside
  return right;
}

}  // namespace

int main() {
  std::vector<unsigned> numbers(5'000'000);
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::atomic<std::size_t> looked_at = 0;
  const auto find_number = [&](unsigned n) {
    return nopal::run([&] {
      return find(0, numbers.size(), [&](std::size_t i) {
        looked_at.fetch_add(1, std::memory_order_relaxed);
        return numbers[i] == n;
      });
    });
  };
  const position early = find_number(70'000);
  const std::size_t for_early = looked_at.exchange(0);
  const position none = find_number(6'000'000);
  std::printf("found after a look at %zu of %zu numbers\n", for_early, numbers.size());
  const bool right =
      early == 70'000U && for_early < numbers.size() && !none && looked_at == numbers.size();
  return right ? 0 : 1;
}
