// SPDX-License-Identifier: Apache-2.0
// Hashes a tree by forks: one for each file and one for each directory.
//
// A directory is read to its end and closed before its entries are forked, so a waiting strand
// holds names and no descriptor. A waiting strand of a large file holds one, and has a running
// strand below it (busy leaves), so there are never more files open than workers; opening a path
// that is too long for one call takes one descriptor more.
//
// Directories recurse. Because a strand's stack is small and a tree may be deeper than any stack,
// the recursion stops after some levels, puts the directories it finds there on a list, and starts
// anew from the list.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hash.hpp"
#include "listing.hpp"
#include "problem.hpp"
#include "tree.hpp"

namespace treehash {

struct walk_result {
  listing files;                  ///< Sorted by path.
  std::vector<problem> problems;  ///< Sorted by kind and path.
  std::uint64_t bytes = 0;        ///< The size of the files listed.
  std::uint64_t ignored_links = 0;
};

struct walk_options {
  bool ignore_links = false;  ///< Count symbolic links instead of reporting each.
  /// Returns what hash_path() does for each of these. If it is not set, the walk itself hashes
  /// files while it reads directories; otherwise it reads them all first.
  std::function<std::vector<hash_result>(const std::vector<std::string>& paths)> hash_all = {};
};

/// Opens a file, and hashes it as hash_file() does.
[[nodiscard]] hash_result hash_path(const tree& where, const std::string& path, counters& done);

/// Hashes all files below the root of `where`. Must be called inside runtime::run. Ends early once
/// interrupted(); then the result means nothing.
[[nodiscard]] walk_result walk(const tree& where, const walk_options& how, counters& done);

}  // namespace treehash
