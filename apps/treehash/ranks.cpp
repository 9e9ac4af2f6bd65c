// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <exception>
#include <nopal/mpi.hpp>
#include <nopal/nopal.hpp>
#include <optional>

#include "failure.hpp"
#include "interrupt.hpp"
#include "walk.hpp"

namespace treehash {
namespace {

/// What each rank does with a file. The rank that gets a signal may be this one alone, and what it
/// has hashed then means nothing.
hash_result hash_here(const tree& where, const std::string& path) {
  counters done;
  const hash_result result = hash_path(where, path, done);
  if (interrupted()) throw failure("interrupted");
  return result;
}

int run_first(nopal::mpi::world& world, const settings& wanted, const first_rank& first) {
  bool hashed = false;
  const auto hash = [&](const tree& where,
                        const std::vector<std::string>& paths) -> std::vector<hash_result> {
    hashed = true;
    try {
      return world.map(paths, [&](const std::string& path) { return hash_here(where, path); });
    } catch (const std::exception&) {
      if (!interrupted()) throw;
      return {};
    }
  };
  const int status = first(wanted, {.ranks = world.size(), .hash = hash});
  // The others wait for files.
  if (!hashed)
    world.map(std::vector<std::string>(), [](const std::string&) { return hash_result(); });
  return status;
}

/// Hashes files for rank 0.
void run_other(nopal::mpi::world& world, const settings& wanted) {
  raise_descriptor_limit();
  nopal::runtime runtime(runtime_options(wanted));
  catch_interrupts();
  std::optional<tree> where;
  std::exception_ptr cause;
  try {
    where.emplace(wanted.directory);
  } catch (const failure&) {
    cause = std::current_exception();  // for rank 0, once it sends a file
  }
  try {
    runtime.run([&] {
      world.map(std::vector<std::string>(), [&](const std::string& path) {
        if (cause != nullptr) std::rethrow_exception(cause);
        return hash_here(*where, path);
      });
    });
  } catch (const nopal::mpi::error&) {
    // Rank 0 says what has gone wrong.
  }
}

}  // namespace

int run_as_rank(int count, char** arguments, const first_rank& first) {
  static_cast<void>(runtime_options({}));  // throws before others could wait for this rank
  nopal::mpi::world world(count, arguments);
  const bool is_first = world.rank() == 0;
  const command_line line = parse_command_line(count, arguments, is_first);
  if (line.exit_status) return is_first ? *line.exit_status : 0;
  if (is_first) return run_first(world, line.wanted, first);
  run_other(world, line.wanted);
  return 0;
}

}  // namespace treehash
