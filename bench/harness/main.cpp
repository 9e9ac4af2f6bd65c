// SPDX-License-Identifier: Apache-2.0
// One measurement in one process: picks a variant, runs it, prints one line of JSON. All libraries
// have this main().
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include "deep_stack.hpp"
#include "environment.hpp"
#include "measure.hpp"
#include "program.hpp"

namespace nopal_bench {

namespace {

constexpr int usage_error = 2;
constexpr int not_possible = 3;

nlohmann::json listing() {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& v : registry()) {
    nlohmann::json sizes = nlohmann::json::object();
    for (const auto& s : v.sizes) {
      sizes[std::string(s.name)] = s.n;
    }
    list.push_back({{"workload", v.workload},
                    {"variant", v.name},
                    {"parallel", v.parallel},
                    {"sizes", sizes},
                    {"peer", to_json(v.peer)}});
  }
  return list;
}

// Joins a member of all variants, each value once, for a message that says what would have been
// valid.
template <class Member>
std::string known(Member member) {
  std::set<std::string> names;
  for (const auto& v : registry()) {
    names.insert(member(v));
  }
  std::string text;
  for (const auto& name : names) {
    text += ' ' + name;
  }
  return text;
}

const variant* find(const std::string& workload, const std::string& name) {
  const auto it = std::ranges::find_if(
      registry(), [&](const variant& v) { return v.workload == workload && v.name == name; });
  return it == registry().end() ? nullptr : &*it;
}

int run(int argc, char** argv) {
  CLI::App app("One measurement of one benchmark variant; prints one line of JSON.");
  std::string workload;
  std::string name;
  std::string size = "smoke";
  std::optional<std::uint64_t> n;
  settings how;
  schedule when;
  bool list = false;
  app.add_option("--workload", workload, "workload, see --list");
  app.add_option("--variant", name, "variant, see --list");
  app.add_option("--workers", how.workers, "number of workers")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  auto* size_option = app.add_option("--size", size, "named problem size")->capture_default_str();
  app.add_option("--n", n, "problem size as a number")->excludes(size_option);
  app.add_option("--repetitions", when.repetitions, "timed repetitions after the warm-up")
      ->check(CLI::Range(1U, 1000000U))
      ->capture_default_str();
  app.add_option("--keep-warm-up-above", when.keep_warm_up_above,
                 "seconds from which a warm-up counts as a repetition")
      ->capture_default_str();
  app.add_flag("!--no-warm-up", when.warm_up, "do not warm up");
  app.add_flag("--list", list, "print the variants as JSON and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage_error;
  }

  if (list) {
    std::cout << listing() << '\n';
    return 0;
  }
  const variant* what = find(workload, name);
  if (what == nullptr) {
    std::cerr << "no variant '" << name << "' of workload '" << workload
              << "' in this program\nworkloads:"
              << known([](const variant& v) { return v.workload; })
              << "\nvariants:" << known([](const variant& v) { return v.name; }) << '\n';
    return usage_error;
  }
  if (!what->parallel && how.workers != 1) {
    std::cerr << "variant '" << name << "' is serial: --workers can only be 1, not " << how.workers
              << '\n';
    return usage_error;
  }
  if (n) {
    how.n = *n;
  } else {
    const auto it = std::ranges::find(what->sizes, size, &problem_size::name);
    if (it == what->sizes.end()) {
      std::cerr << "workload '" << workload << "' has no size '" << size << "'; sizes:";
      for (const auto& s : what->sizes) {
        std::cerr << ' ' << s.name << " (" << s.n << ')';
      }
      std::cerr << '\n';
      return usage_error;
    }
    how.n = it->n;
  }
  have_stack_of(what->stack_bytes(how.n), argv);
  have_environment(what->environment_for(how), argv);
  std::cout << measure(*what, how, when) << std::endl;
  return 0;
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  try {
    return nopal_bench::run(argc, argv);
  } catch (const nopal_bench::not_possible_here& e) {
    std::cerr << e.what() << '\n';
    return nopal_bench::not_possible;
  } catch (const std::exception& e) {
    std::cerr << "FAILED: " << e.what() << '\n';
    return 1;
  }
}
