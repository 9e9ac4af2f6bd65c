// SPDX-License-Identifier: Apache-2.0
// Merge sort of n random integers with a merge that is parallel too, as in Cilk's benchmark: four
// quarters are sorted, then merged in pairs into a second array and from there back. A merge halves
// the longer run, finds by binary search where the shorter one is to be cut, and merges both sides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/enroll.hpp"
#include "workloads/common/numbers_to_sort.hpp"

namespace nopal_bench {

/// Ranges of up to this length are sorted by std::sort.
constexpr std::ptrdiff_t cilksort_cutoff = 1024;

/// Two runs of up to this length together are merged one number after the other.
constexpr std::ptrdiff_t cilkmerge_cutoff = 2048;

/// A sorted range.
struct sorted_run {
  const int* first;
  const int* last;

  [[nodiscard]] std::ptrdiff_t length() const { return last - first; }
};

// Neither of these functions is inlined, so that every variant has the same code, however its
// caller is compiled.

[[gnu::noinline]] inline void sort_short(int* first, int* last) { std::sort(first, last); }

/// Merges two runs to out, which overlaps neither.
[[gnu::noinline]] inline void merge_runs(sorted_run a, sorted_run b, int* __restrict out) {
  // No jump depends on which number is less: with random numbers such a jump is mispredicted every
  // other time.
  while (a.first != a.last && b.first != b.last) {
    const int left = *a.first;
    const int right = *b.first;
    const bool from_b = right < left;
    *out++ = from_b ? right : left;
    a.first += from_b ? 0 : 1;
    b.first += from_b ? 1 : 0;
  }
  out = std::copy(a.first, a.last, out);
  std::copy(b.first, b.last, out);
}

/// A merge cut in two: what comes before the cut of each run belongs before what comes after it.
struct cut_merge {
  sorted_run low_a;
  sorted_run low_b;
  sorted_run high_a;
  sorted_run high_b;
  int* high_out;

  cut_merge(sorted_run a, sorted_run b, int* out) {
    if (a.length() < b.length()) {
      std::swap(a, b);
    }
    const int* cut_a = a.first + a.length() / 2;
    const int* cut_b = std::lower_bound(b.first, b.last, *cut_a);
    low_a = {a.first, cut_a};
    low_b = {b.first, cut_b};
    high_a = {cut_a, a.last};
    high_b = {cut_b, b.last};
    high_out = out + low_a.length() + low_b.length();
  }
};

/// The quarters of a range, and where each is in the second array.
struct cut_sort {
  std::array<int*, 5> at;
  std::array<int*, 5> other;

  cut_sort(int* first, int* last, int* scratch) {
    const std::ptrdiff_t quarter = (last - first) / 4;
    for (std::size_t i = 0; i < 4; ++i) {
      at[i] = first + static_cast<std::ptrdiff_t>(i) * quarter;
      other[i] = scratch + static_cast<std::ptrdiff_t>(i) * quarter;
    }
    at[4] = last;
    other[4] = scratch + (last - first);
  }
  [[nodiscard]] sorted_run quarter(std::size_t i) const { return {at[i], at[i + 1]}; }
  [[nodiscard]] sorted_run low_half() const { return {other[0], other[2]}; }
  [[nodiscard]] sorted_run high_half() const { return {other[2], other[4]}; }
};

struct cilksort_problem {
  static constexpr std::string_view name = "cilksort";
  static constexpr std::array sizes{problem_size{"smoke", 100000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 100000000}};

  explicit cilksort_problem(std::uint64_t size) : input(size), data(size), scratch(size) {}

  void prepare() {
    input.copy_to(data);
    result = false;
  }
  [[nodiscard]] std::string error() const { return input.error(data); }
  [[nodiscard]] int* begin() { return data.data(); }
  [[nodiscard]] int* end() { return data.data() + data.size(); }

  numbers_to_sort input;
  std::vector<int> data;
  std::vector<int> scratch;
  bool result = false;  // set once sorted, for the record
};

/// The kernel of all variants.
template <class Session, class F>
void run_cilksort(Session& session, cilksort_problem& p, F f) {
  session.run(f, p.begin(), p.end(), p.scratch.data());
  p.result = true;
}

}  // namespace nopal_bench
