// SPDX-License-Identifier: Apache-2.0
// The words of a text by their number: tokens finds the words, reduce_by_key counts each, and sort
// puts the most frequent ones first. Usage: word_count [words]
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nopal/algorithm/reduce_by_key.hpp>
#include <nopal/algorithm/sort.hpp>
#include <nopal/algorithm/tokens.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using count = std::pair<std::string_view, std::size_t>;

/// Returns the words of a text and how often each is there, the most frequent ones first, and those
/// that are as frequent in alphabetical order.
std::vector<count> word_counts(const std::string& text) {
  const std::vector<std::string_view> words =
      nopal::tokens(text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
  std::vector<count> counts = nopal::reduce_by_key(words, std::plus{}, std::identity{},
                                                   [](std::string_view) { return std::size_t{1}; });
  nopal::sort(counts, [](const count& a, const count& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return counts;
}

std::string random_text(std::size_t words) {
  std::mt19937 random(1);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    for (auto letters = 1 + random() % 3; letters > 0; --letters)
      text += static_cast<char>('a' + random() % 8);
    text += i % 10 == 9 ? ".\n" : i % 5 == 4 ? ", " : " ";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const auto words = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 200'000);
  const std::string text = random_text(words);
  const std::vector<count> counts = word_counts(text);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, counts.size()); ++i)
    std::printf("%zu times %s\n", counts[i].second, std::string(counts[i].first).c_str());

  std::map<std::string, std::size_t> expected;
  std::string word;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') {
      word += c;
    } else if (!word.empty()) {
      ++expected[word];
      word.clear();
    }
  }
  const bool sorted = std::ranges::is_sorted(counts, std::greater{}, &count::second);
  const bool right = std::ranges::all_of(
      counts, [&](const count& c) { return expected[std::string(c.first)] == c.second; });
  return sorted && right && counts.size() == expected.size() ? 0 : 1;
}
