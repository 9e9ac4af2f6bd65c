// SPDX-License-Identifier: Apache-2.0
// A stable sort by merging: the halves are sorted at the same time, and so are the parts of each
// merge, since the last merges are the longest. The result goes back and forth between two arrays.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <nopal/algorithm/merge.hpp>
#include <nopal/nopal.hpp>
#include <random>
#include <span>
#include <vector>

namespace {

struct record {
  unsigned key = 0;
  unsigned number = 0;

  friend auto operator<=>(const record&, const record&) = default;
};

enum class result { here, there };

/// Sorts what is here. `there` is as long, and what it has held is lost.
void mergesort(std::span<record> here, std::span<record> there, result where) {
  if (here.size() <= 32) {
    for (auto r = here.begin(); r != here.end(); ++r)
      std::rotate(std::ranges::upper_bound(here.begin(), r, r->key, {}, &record::key), r, r + 1);
    if (where == result::there) std::ranges::copy(here, there.begin());
    return;
  }
  const std::size_t half = here.size() / 2;
  const result before = where == result::here ? result::there : result::here;
  nopal::parallel_invoke([&] { mergesort(here.first(half), there.first(half), before); },
                         [&] { mergesort(here.subspan(half), there.subspan(half), before); });
  const std::span<record> from = where == result::here ? there : here;
  const std::span<record> to = where == result::here ? here : there;
  nopal::merge(from.first(half), from.subspan(half), to.begin(), {}, &record::key, &record::key);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::vector<record> records(200'000);
  unsigned number = 0;
  for (record& r : records) r = {static_cast<unsigned>(random() % 100'000), number++};
  std::vector<record> expected = records;
  std::ranges::sort(expected);  // by the number as well, so that this is the stable order

  std::vector<record> scratch(records.size());
  nopal::run([&] { mergesort(records, scratch, result::here); });

  const bool sorted = records == expected;
  std::printf("%zu records %s\n", records.size(), sorted ? "sorted" : "NOT sorted");
  return sorted ? 0 : 1;
}
