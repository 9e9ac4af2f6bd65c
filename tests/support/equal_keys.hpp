// SPDX-License-Identifier: Apache-2.0
// Elements some of which have equal keys, and what a serial loop makes of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/build.hpp"
#include "support/ranges.hpp"

namespace nopal_test {

/// An element with a key, and its number in the range.
struct numbered_record {
  std::size_t key;
  std::size_t number;

  friend bool operator==(const numbered_record&, const numbered_record&) = default;
};

/// Lengths of ranges: what lies around the shortest that is cut.
inline constexpr std::size_t lengths_with_keys[]{0,    1,    2,    4095,
                                                 4096, 4097, 8192, with_sanitizer ? 9000 : 100000};

/// Keys of four kinds: all different, some, one, and one that most elements have.
inline std::vector<numbered_record> records_with_keys(int kind, std::size_t n) {
  std::vector<numbered_record> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t keys[]{i * 64, scrambled(i) % 1000, 7, i % 4 == 0 ? scrambled(i) % 5000 : 7};
    v[i] = {keys[kind], i};
  }
  return v;
}

/// Returns all keys in the order in which they first appear, each with its elements.
inline std::vector<std::pair<std::size_t, std::vector<numbered_record>>> groups_of(
    const std::vector<numbered_record>& v) {
  std::map<std::size_t, std::size_t> at;
  std::vector<std::pair<std::size_t, std::vector<numbered_record>>> groups;
  for (const numbered_record& r : v) {
    if (at.emplace(r.key, groups.size()).second) groups.push_back({r.key, {}});
    groups[at[r.key]].second.push_back(r);
  }
  return groups;
}

/// A key that is not copied with its element, because a copy is dear.
inline std::string text_of_key(const numbered_record& r) { return std::to_string(r.key); }

/// Calls check(v, groups) for elements whose keys are those texts, and their groups.
template <class Check>
void with_texts_as_keys(const Check& check) {
  for (const int kind : {0, 1, 2, 3})
    for (const std::size_t n : {4097U, 20000U}) {
      const auto v = records_with_keys(kind, n);
      std::vector<std::pair<std::string, std::vector<numbered_record>>> groups;
      for (const auto& g : groups_of(v)) groups.emplace_back(std::to_string(g.first), g.second);
      check(v, groups);
    }
}

}  // namespace nopal_test
