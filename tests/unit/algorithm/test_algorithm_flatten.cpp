// SPDX-License-Identifier: Apache-2.0
// flatten, and tokens.
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nopal/algorithm/flatten.hpp"
#include "nopal/algorithm/tokens.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::scrambled;

/// Checks ranges of such sizes.
void check_sizes(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<int>> v;
  std::vector<int> expected;
  for (const std::size_t size : sizes) {
    std::vector<int>& inner = v.emplace_back();
    for (std::size_t i = 0; i < size; ++i) inner.push_back(static_cast<int>(expected.size() + i));
    expected.insert(expected.end(), inner.begin(), inner.end());
  }
  EXPECT_TRUE(nopal::flatten(v) == expected);
  EXPECT_TRUE(nopal::flatten(grain{3}, v.begin(), v.end()) == expected);
  std::vector<int> out(expected.size() + 1, -1);
  EXPECT_EQ(nopal::flatten(v, out.begin()), out.end() - 1);
  EXPECT_EQ(out.back(), -1);
  out.pop_back();
  EXPECT_TRUE(out == expected);
}

TEST(Flatten, RangesOfAllSizes) {
  everywhere([] {
    check_sizes({});
    check_sizes({0, 0, 0});
    check_sizes({1});
    check_sizes({0, 50000, 0, 1, 0, 0});
    check_sizes({1, 1, 0, 30000, 7});
    std::vector<std::size_t> many(5000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = scrambled(i) / 16 % 9;
    check_sizes(many);
  });
}

TEST(Flatten, OtherRanges) {
  everywhere([] {
    const std::deque<std::string> words{"to", "", "be", "or"};
    const std::vector<char> letters = nopal::flatten(words);
    EXPECT_EQ(std::string(letters.begin(), letters.end()), "tobeor");
    const auto triangle = std::views::iota(0, 100) |
                          std::views::transform([](int n) { return std::views::iota(0, n); });
    const std::vector<int> all = nopal::flatten(triangle);
    EXPECT_EQ(all.size(), 4950U);
    EXPECT_EQ(all.back(), 98);
    std::vector<std::vector<std::string>> nested(100, {"a", "b"});
    EXPECT_EQ(nopal::flatten(grain{7}, nested).size(), 200U);
  });
}

const auto is_space = [](char c) { return c == ' '; };

TEST(Tokens, AllThatIsNotEmpty) {
  everywhere([] {
    using views = std::vector<std::string_view>;
    EXPECT_EQ(nopal::tokens("", is_space), views{});
    EXPECT_EQ(nopal::tokens("   ", is_space), views{});
    EXPECT_EQ(nopal::tokens("a", is_space), views{"a"});
    EXPECT_EQ(nopal::tokens(" to  be or", is_space), (views{"to", "be", "or"}));
    EXPECT_EQ(nopal::tokens("to be ", is_space), (views{"to", "be"}));
    std::string text;
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < 5000; ++i) {
      expected.push_back(std::to_string(i));
      text += expected.back() + std::string(1 + scrambled(i) % 3, ' ');
    }
    const views found = nopal::tokens(text, is_space, {.grain = 100});
    EXPECT_TRUE(std::vector<std::string>(found.begin(), found.end()) == expected);
    EXPECT_TRUE(nopal::tokens(text, is_space) == found);
  });
}

TEST(Tokens, ExceptionsPropagate) {
  everywhere([] {
    EXPECT_THROW(nopal::tokens("abc", [](char c) -> bool { throw std::out_of_range({c}); }),
                 std::out_of_range);
  });
}

static_assert(!std::invocable<decltype(nopal::tokens), std::string, decltype(is_space)>,
              "the text would be gone");

}  // namespace
