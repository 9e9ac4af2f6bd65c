// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "failure.hpp"

#ifndef TREEHASH_VERSION
#define TREEHASH_VERSION "unversioned"
#endif
#ifndef TREEHASH_MPI
#define TREEHASH_MPI 0
#endif

namespace treehash {
namespace {

constexpr const char* description =
    "The SHA-256 of every file of a directory tree, and one digest over the tree.";

constexpr const char* footer =
    R"(The digest of the tree does not depend on the number of workers. It is what
standard tools make of it:
  (cd DIR && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum) | sha256sum
Mount points below DIR are crossed. Keep FILE outside DIR, or the next run lists it too.

Symbolic links are not followed. They, unreadable files and directories, pipes, sockets and
devices, files that vanish and files that change while they are read are reported at the end on
standard error, and stop nothing.

With --mpi all ranks that mpiexec or srun has started hash files together:
  mpiexec -n 4 --map-by node --bind-to none nopal-treehash --mpi DIR
DIR is the same directory on a file system that all of them see. Rank 0 reads the directories, and
each file is hashed by one rank. Rank 0 alone reads and writes FILE, and prints. All options mean
the same, and so does the exit status of rank 0; the launcher may report it in its own words.

Exit status:
  0    everything was hashed, and --check found no difference
  1    something was reported, or --check found a difference
  2    DIR or FILE cannot be used, or there is a mistake in the command line
  130  interrupted by Ctrl-C (143: by SIGTERM); no FILE was written

Environment: NOPAL_WORKERS and the other variables of nopal's runtime; --workers wins.)";

void add_options(CLI::App& app, settings& wanted) {
  app.add_option("DIR", wanted.directory, "The directory. After --, its name may begin with a dash")
      ->required();
  auto* list = app.add_flag(
      "-l,--list", wanted.list,
      "Write the listing to standard output, as sha256sum would, and the summary to standard "
      "error");
  app.add_option("-o,--output", wanted.output,
                 "Write the listing to FILE, which appears complete or not at all")
      ->type_name("FILE");
  auto* json = app.add_flag(
      "-j,--json", wanted.json,
      "Print one JSON object in place of the summary. Paths that are not UTF-8 have U+FFFD for "
      "the bytes in question, and their exact bytes in path_hex");
  auto* check =
      app.add_option(
             "-c,--check", wanted.check,
             "Compare with an earlier listing (-: standard input); print what is changed, missing, "
             "new, or unchecked because it cannot be read now")
          ->type_name("FILE");
  app.add_flag("-i,--ignore-links", wanted.ignore_links,
               "Count symbolic links, and do not report them");
  app.add_option("-w,--workers", wanted.workers,
                 "Number of workers; 0: as many as the process may use")
      ->check(CLI::Range(0U, 1024U))
      ->type_name("N");
  app.add_flag("-q,--quiet", wanted.quiet,
               "No progress and no summary: only the digest of the tree, or what --list, --json or "
               "--check prints");
  app.add_flag("-v,--verbose", wanted.verbose,
               "Report every link and problem, not the first five of each kind");
  app.add_flag("--mpi", wanted.mpi, "Be one of several ranks of MPI; see below");
  list->excludes(json);
  list->excludes(check);
}

}  // namespace

command_line parse_command_line(int count, const char* const* arguments, bool writes) {
  command_line line;
  CLI::App app(description, "nopal-treehash");
  app.footer(footer);
  app.set_version_flag("--version", std::string("nopal-treehash ") + version());
  app.get_formatter()->column_width(26);
  add_options(app, line.wanted);
  try {
    app.parse(count, arguments);
    if (app.count("--output") != 0 && line.wanted.output.empty()) {
      throw CLI::ValidationError("--output",
                                 "the name of FILE is empty; name a file to be made or replaced");
    }
    if (app.count("--check") != 0 && line.wanted.check.empty()) {
      throw CLI::ValidationError("--check",
                                 "the name of FILE is empty; name an earlier listing, or -");
    }
    if (line.wanted.mpi && TREEHASH_MPI == 0) {
      throw CLI::ValidationError(
          "--mpi",
          "this nopal-treehash was built without MPI; install MPI (Debian: libopenmpi-dev and "
          "openmpi-bin), and build nopal with -DNOPAL_BUILD_MPI=ON");
    }
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      line.exit_status = writes ? app.exit(error) : 0;
    } else {
      if (writes)
        std::cerr << "nopal-treehash: " << error.what()
                  << "\nnopal-treehash --help shows what is allowed.\n";
      line.exit_status = 2;
    }
  }
  return line;
}

bool asks_for_mpi(int count, const char* const* arguments) noexcept {
  for (int i = 1; i < count && std::string_view(arguments[i]) != "--"; ++i)
    if (std::string_view(arguments[i]) == "--mpi") return true;
  return false;
}

nopal::options runtime_options(const settings& wanted) {
  try {
    nopal::options chosen = nopal::options::from_environment();
    if (wanted.workers) chosen.workers = *wanted.workers;
    return chosen;
  } catch (const std::invalid_argument& error) {
    throw failure(error.what());
  }
}

const char* version() noexcept { return TREEHASH_VERSION; }

}  // namespace treehash
