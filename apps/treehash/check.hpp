// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "listing.hpp"
#include "problem.hpp"

namespace treehash {

/// How a tree differs from an earlier listing. Paths are relative to the root, sorted.
struct differences {
  std::vector<std::string> changed;  ///< Files in both, with another digest.
  std::vector<std::string> missing;  ///< Files in the earlier listing only.
  std::vector<std::string> added;    ///< Files in the tree only.
  /// Files in the earlier listing that are unreadable now, or below what is unreadable now.
  std::vector<std::string> unchecked;

  [[nodiscard]] bool any() const noexcept {
    return !(changed.empty() && missing.empty() && added.empty() && unchecked.empty());
  }
};

/// Compares two listings, both sorted by path. `problems` are those met while `now` was made.
[[nodiscard]] differences compare(const listing& earlier, const listing& now,
                                  const std::vector<problem>& problems);

}  // namespace treehash
