// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "listing.hpp"

namespace treehash {
namespace {

constexpr std::ptrdiff_t shown_of_each_kind = 5;

}  // namespace

std::string_view name_of(problem_kind kind) noexcept {
  switch (kind) {
    case problem_kind::symbolic_link:
      return "symbolic link";
    case problem_kind::special_file:
      return "special file";
    case problem_kind::unreadable:
      return "unreadable";
    case problem_kind::vanished:
      return "vanished";
    case problem_kind::changed:
      return "changed";
  }
  return "problem";
}

void sort_problems(std::vector<problem>& problems) {
  std::sort(problems.begin(), problems.end(), [](const problem& a, const problem& b) {
    return std::tie(a.kind, a.path, a.reason) < std::tie(b.kind, b.path, b.reason);
  });
}

void report_problems(const std::vector<problem>& sorted, bool all) {
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(),
                                   [&](const problem& other) { return other.kind != first->kind; });
    const std::string_view kind = name_of(first->kind);
    const auto end = all ? last : first + std::min(last - first, shown_of_each_kind);
    for (auto each = first; each != end; ++each) {
      fmt::print(stderr, "nopal-treehash: {}: {}: {}\n", kind, shown(each->path), each->reason);
    }
    if (end != last) {
      fmt::print(stderr, "nopal-treehash: {}: {} more, {} in all (--verbose shows each)\n", kind,
                 last - end, last - first);
    }
    first = last;
  }
}

}  // namespace treehash
