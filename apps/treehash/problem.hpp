// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treehash {

enum class problem_kind { symbolic_link, special_file, unreadable, vanished, changed };

/// Something that was met in the tree and could not be hashed like an ordinary file.
struct problem {
  problem_kind kind = problem_kind::unreadable;
  std::string path;  ///< Relative to the root; "" is the root.
  std::string reason;
};

/// The name for people and for JSON alike: "symbolic link", "special file", "unreadable",
/// "vanished", "changed".
[[nodiscard]] std::string_view name_of(problem_kind kind) noexcept;

/// Sorts by kind, then by path, so that a report does not depend on which worker came first.
void sort_problems(std::vector<problem>& problems);

/// Writes the problems to standard error, one line each: all of them if `all`, otherwise the first
/// few of each kind and the number of the others.
void report_problems(const std::vector<problem>& sorted, bool all);

}  // namespace treehash
