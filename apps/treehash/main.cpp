// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <nopal/nopal.hpp>
#include <optional>
#include <string>

#include "atomic_file.hpp"
#include "check.hpp"
#include "command_line.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "walk.hpp"

namespace treehash {
namespace {

listing read_listing(const std::string& path) {
  const bool standard = path == "-";
  std::ifstream file;
  if (!standard) file.open(path, std::ios::binary);
  std::istream& source = standard ? std::cin : file;
  if (!source)
    throw failure("cannot open the listing '" + path +
                  "'; name a file written by --output or sha256sum");
  const std::string text{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
  if (source.bad()) throw failure("cannot read the listing '" + path + "'");
  return parse_listing(text, standard ? "standard input" : path);
}

/// \param all  null without --mpi.
outcome hash_tree(const settings& wanted, const tree& where, const among_ranks* all) {
  nopal::runtime runtime(runtime_options(wanted));
  catch_interrupts();
  outcome result;
  result.workers = runtime.workers();
  counters done;
  // What other ranks have done is known at the end only.
  const progress line(done, !wanted.quiet && all == nullptr);
  walk_options how{.ignore_links = wanted.ignore_links};
  if (all != nullptr) {
    result.ranks = all->ranks;
    how.hash_all = [&](const auto& paths) { return all->hash(where, paths); };
  }
  const auto start = std::chrono::steady_clock::now();
  runtime.run([&] { result.found = walk(where, how, done); });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

int interrupted_status() {
  fmt::print(stderr, "nopal-treehash: interrupted; nothing was written\n");
  return 128 + interrupted();
}

int run(const settings& wanted, const among_ranks* all) {
  raise_descriptor_limit();
  const tree where(wanted.directory);
  std::optional<listing> earlier;
  if (!wanted.check.empty()) earlier = read_listing(wanted.check);
  std::optional<atomic_file> output;
  if (!wanted.output.empty()) output.emplace(wanted.output);

  outcome result = hash_tree(wanted, where, all);
  if (interrupted()) return interrupted_status();
  result.tree = tree_digest(result.found.files);
  if (earlier) result.against = compare(*earlier, result.found.files, result.found.problems);
  if (output) {
    write_listing(result.found.files, [&](std::string_view text) { output->write(text); });
    if (interrupted()) return interrupted_status();
    output->commit();
  }
  report(wanted, result);
  return result.exit_status();
}

/// Returns the exit status of `f`, and says on standard error what it throws.
template <class F>
int status_of(const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    fmt::print(
        stderr,
        "nopal-treehash: out of memory; each file listed takes its path and some 100 bytes\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "nopal-treehash: {}\n", error.what());
  }
  return 2;
}

}  // namespace
}  // namespace treehash

int main(int count, char** arguments) {
  using namespace treehash;
  return status_of([&] {
#if TREEHASH_MPI
    if (asks_for_mpi(count, arguments))
      return run_as_rank(count, arguments, [](const settings& wanted, const among_ranks& all) {
        return status_of([&] { return run(wanted, &all); });
      });
#endif
    const command_line line = parse_command_line(count, arguments, true);
    return line.exit_status ? *line.exit_status : run(line.wanted, nullptr);
  });
}
