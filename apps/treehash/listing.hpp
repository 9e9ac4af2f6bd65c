// SPDX-License-Identifier: Apache-2.0
// The listing: one line for each file, byte for byte what sha256sum prints, sorted by path. The
// digest of a tree is the SHA-256 of this text, so that standard tools come to the same:
//
//   (cd DIR && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum) | sha256sum
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sha256.hpp"

namespace treehash {

/// One file; `path` is relative to the root, without "./" in front, and may have any bytes except
/// zero.
struct entry {
  std::string path;
  digest sum = {};
};

using listing = std::vector<entry>;

/// Sorts by the bytes of the whole path, and forks.
void sort_by_path(listing& files);

/// Returns "./" and the path, on one line: backslash, newline and carriage return are written \\,
/// \n and \r.
[[nodiscard]] std::string shown(std::string_view path);

/// Gives the text of the listing to `take`, in blocks.
void write_listing(const listing& files, const std::function<void(std::string_view)>& take);

[[nodiscard]] digest tree_digest(const listing& files);

/// Reads what write_listing wrote, or what sha256sum wrote for relative paths, in any order, and
/// returns it sorted. `name` stands for the text in messages.
/// \throws failure naming the line that is no line of a listing.
[[nodiscard]] listing parse_listing(std::string_view text, const std::string& name);

}  // namespace treehash
