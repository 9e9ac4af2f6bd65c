// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treehash {

enum class problem_kind { symbolic_link, special_file, unreadable, vanished, changed };

/// What was met in the tree and could not be hashed like an ordinary file.
struct problem {
  problem_kind kind = problem_kind::unreadable;
  std::string path;  ///< Relative to the root; "" is the root.
  std::string reason;
};

/// For people and for JSON alike: "symbolic link", "special file", "unreadable", "vanished",
/// "changed".
[[nodiscard]] std::string_view name_of(problem_kind kind) noexcept;

/// By kind, then by path, so that a report does not depend on who came first.
void sort_problems(std::vector<problem>& problems);

/// Writes them to standard error, one line each: the first few of each kind and the number of the
/// others, or `all`.
void report_problems(const std::vector<problem>& sorted, bool all);

}  // namespace treehash
