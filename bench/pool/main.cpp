// SPDX-License-Identifier: Apache-2.0
// One measurement of one pool in one process: prints one line of JSON.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "pool/load.hpp"
#include "pool/record.hpp"
#include "pool/variants.hpp"

namespace nopal_bench {

namespace {

constexpr int usage_error = 2;
constexpr unsigned most_threads = 256;  // of each kind

const pool_variant* find(const std::string& name) {
  const auto it = std::ranges::find(pool_variants(), name, &pool_variant::name);
  return it == pool_variants().end() ? nullptr : &*it;
}

std::string unknown(const std::string& name) {
  std::string text = "no variant '" + name + "'; there are:";
  for (const auto& v : pool_variants()) {
    text += ' ' + v.name;
  }
  return text;
}

// What is wrong with the whole, though each option may be right; empty: nothing.
std::string wrong(const pool_variant& what, const pool_load& how, bool chunk_given) {
  if (chunk_given && what.chunk == 0) {
    return "variant '" + what.name + "' has no chunks: leave out --chunk";
  }
  if (const std::uint64_t least = std::uint64_t{pool_batch} * how.producers; how.window < least) {
    return "--window must be " + std::to_string(least) + " at least for so many producers, not " +
           std::to_string(how.window);
  }
  if (how.producers_alone && !how.pinned) {
    return "--producers-alone is for pinned threads: leave out --not-pinned";
  }
  if (how.stalled && how.consumers < 2) {
    return "--stalled needs 2 consumers at least, not 1";
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app(
      "One measurement of one pool between producers and consumers; prints one line of JSON.");
  std::string name;
  pool_load how;
  std::optional<std::uint32_t> chunk;
  unsigned repetitions = 5;
  bool list = false;
  const CLI::Range threads(1U, most_threads);
  app.add_option("--variant", name, "variant, see --list");
  app.add_option("--producers", how.producers, "threads that put")
      ->check(threads)
      ->capture_default_str();
  app.add_option("--consumers", how.consumers, "threads that get")
      ->check(threads)
      ->capture_default_str();
  app.add_option("--seconds", how.seconds, "for each repetition, beside a tenth of it to warm up")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  app.add_option("--repetitions", repetitions, "each with a new pool")
      ->check(CLI::Range(1U, 1000000U))
      ->capture_default_str();
  app.add_option("--chunk", chunk, "tasks in a chunk, instead of the variant's own number")
      ->check(CLI::Range(1U, 1048576U));
  app.add_option("--window", how.window, "tasks in the pool from which producers pause")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_flag("--pinned,!--not-pinned", how.pinned,
               "each thread on one CPU, producers beside consumers (the default), or not");
  app.add_flag(
      "--memory-on-one-node", how.memory_on_one_node,
      "all memory on the machine's first NUMA node; where there is no other nothing is done");
  app.add_flag("--producers-alone", how.producers_alone,
               "producers on CPUs on which no consumer runs; needs two CPUs");
  app.add_option("--slow", how.slow, "steps of work of the first consumer for each task")
      ->check(CLI::Range(0U, 1000000U))
      ->capture_default_str();
  app.add_flag("--stalled", how.stalled,
               "the first consumer takes one task and stops; needs another consumer");
  app.add_flag("--list", list, "print the variants as JSON and exit");
  app.set_version_flag("--version", "nopal-bench-pool " NOPAL_BENCH_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage_error;
  }

  if (list) {
    std::cout << list_pool_variants() << '\n';
    return 0;
  }
  const pool_variant* what = find(name);
  const std::string complaint =
      what == nullptr ? unknown(name) : wrong(*what, how, chunk.has_value());
  if (!complaint.empty()) {
    std::cerr << complaint << '\n';
    return usage_error;
  }
  how.chunk = chunk.value_or(what->chunk);
  std::cout << measure_pool(*what, how, repetitions) << std::endl;
  return 0;
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  try {
    return nopal_bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "FAILED: " << e.what() << '\n';
    return 1;
  }
}
