// SPDX-License-Identifier: Apache-2.0
// Several processes that MPI has started, the ranks, hash the files of one tree. Each file is
// hashed by one of them: see hash.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "hash.hpp"
#include "tree.hpp"

namespace treehash {

/// Has all ranks hash these files, and returns what hash_path() does for each.
struct among_ranks {
  int ranks;
  std::function<std::vector<hash_result>(const tree& where, const std::vector<std::string>& paths)>
      hash;
};

/// What rank 0 runs. It throws nothing, and calls `hash` once at most.
using first_rank = std::function<int(const settings& wanted, const among_ranks& all)>;

/// Runs the program as one rank, and returns its exit status.
/// \throws failure if the environment says what nopal does not allow, nopal::mpi::error.
[[nodiscard]] int run_as_rank(int count, char** arguments, const first_rank& first);

}  // namespace treehash
