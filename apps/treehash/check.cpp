// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <set>
#include <string_view>

namespace treehash {
namespace {

std::set<std::string_view> unreadable_paths(const std::vector<problem>& problems) {
  std::set<std::string_view> paths;
  for (const problem& each : problems) {
    if (each.kind == problem_kind::unreadable) paths.insert(each.path);
  }
  return paths;
}

// Whether the path itself, or a directory above it, is among `paths`.
bool covered(const std::set<std::string_view>& paths, std::string_view path) {
  if (paths.empty()) return false;
  while (!path.empty()) {
    if (paths.contains(path)) return true;
    const std::size_t slash = path.rfind('/');
    path = path.substr(0, slash == path.npos ? 0 : slash);
  }
  return paths.contains("");
}

}  // namespace

differences compare(const listing& earlier, const listing& now,
                    const std::vector<problem>& problems) {
  const auto unreadable = unreadable_paths(problems);
  differences found;
  auto before = earlier.begin();
  auto after = now.begin();
  while (before != earlier.end() || after != now.end()) {
    if (before == earlier.end() || (after != now.end() && after->path < before->path)) {
      found.added.push_back(after->path);
      ++after;
    } else if (after == now.end() || before->path < after->path) {
      (covered(unreadable, before->path) ? found.unchecked : found.missing).push_back(before->path);
      ++before;
    } else {
      if (before->sum != after->sum) found.changed.push_back(after->path);
      ++before;
      ++after;
    }
  }
  return found;
}

}  // namespace treehash
