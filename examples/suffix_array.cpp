// SPDX-License-Identifier: Apache-2.0
// The suffixes of a text in alphabetical order, by doubling: once all suffixes are ranked by their
// first n letters, two ranks rank each by its first 2n letters. The pairs of ranks are integers, so
// integer_sort sorts them; a scan numbers those that differ.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nopal/algorithm/integer_sort.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using position = std::uint32_t;

struct suffix {
  std::uint64_t key = 0;
  position begin = 0;
};

/// Returns the positions at which the suffixes of `text` begin, in the order of the suffixes.
std::vector<position> suffix_array(std::string_view text) {
  const auto n = static_cast<position>(text.size());
  std::vector<position> ranks(n), numbers(n), order(n);
  std::vector<suffix> suffixes(n);
  nopal::map(text, ranks.begin(),
             [](char c) { return position{1} + static_cast<unsigned char>(c); });
  for (position known = 1;; known *= 2) {
    // A text that ends earlier comes earlier: there is no rank of 0.
    nopal::map(0, n, suffixes.begin(), [&](position i) {
      const std::uint64_t behind = known < n - i ? ranks[i + known] : 0;
      return suffix{std::uint64_t{ranks[i]} << 32 | behind, i};
    });
    nopal::integer_sort(suffixes, &suffix::key);
    nopal::map(0, n, numbers.begin(), [&](position i) -> position {
      return i == 0 || suffixes[i].key != suffixes[i - 1].key ? 1 : 0;
    });
    nopal::scan(numbers, numbers.begin(), std::plus{});
    nopal::for_each(0, n, [&](position i) { ranks[suffixes[i].begin] = numbers[i]; });
    if (n == 0 || numbers.back() == n) break;  // all ranks differ
  }
  nopal::map(suffixes, order.begin(), &suffix::begin);
  return order;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::string text(30'000, ' ');
  std::ranges::generate(text, [&] { return "acgt"[random() % 4]; });
  text.replace(20'000, 1'000, text, 5'000, 1'000);  // two suffixes share 1000 letters

  const std::vector<position> order = suffix_array(text);

  const auto from = [&](position p) { return std::string_view(text).substr(p); };
  // Neighbours in the right order are different, so that no suffix is missing among as many.
  const bool right =
      order.size() == text.size() &&
      std::ranges::adjacent_find(order, std::ranges::greater_equal(), from) == order.end() &&
      suffix_array("banana") == std::vector<position>{5, 3, 1, 0, 4, 2};
  std::printf("%zu suffixes are %s\n", order.size(), right ? "sorted" : "NOT sorted");
  return right ? 0 : 1;
}
