// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "machine.hpp"
#include "memory_pages.hpp"
#include "process_usage.hpp"

namespace nopal_bench {

namespace {

double timed_run(program& p, const variant& what, const settings& how) {
  using clock = std::chrono::steady_clock;
  p.prepare();
  const auto begin = clock::now();
  p.run();
  const auto end = clock::now();
  if (const std::string error = p.error(); !error.empty()) {
    throw wrong_result(what.workload + ' ' + what.name + " n=" + std::to_string(how.n) +
                       " workers=" + std::to_string(how.workers) + ": wrong result: " + error);
  }
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

nlohmann::json to_json(const description& d) {
  auto json = nlohmann::json::object();
  for (const auto& [key, value] : d) {
    json[key] = value;
  }
  return json;
}

nlohmann::json measure(const variant& what, const settings& how, const schedule& when) {
  const auto p = what.make(how);
  p->prepare();
  const std::uint64_t before_workers = resident_bytes();
  const std::size_t pages_before_workers = memory_pages();
  p->start();
  std::vector<double> seconds;
  nlohmann::json warm_up = nullptr;

  auto begin = process_usage::now();
  if (when.warm_up) {
    const double s = timed_run(*p, what, how);
    warm_up = s;
    if (s > when.keep_warm_up_above) {
      seconds.push_back(s);
    } else {
      begin = process_usage::now();
    }
  }
  while (seconds.size() < when.repetitions) {
    seconds.push_back(timed_run(*p, what, how));
  }
  const auto usage = process_usage::now() - begin;

  const std::size_t pages_at_end = memory_pages();
  const std::string figures = p->figures();
  return {{"workload", what.workload},
          {"variant", what.name},
          {"workers", how.workers},
          {"n", how.n},
          {"seconds", seconds},
          {"warm_up_seconds", warm_up},
          {"correct", true},
          {"result", std::visit([](auto value) { return nlohmann::json(value); }, p->result())},
          {"peak_rss_bytes", peak_resident_bytes()},
          {"rss_before_workers_bytes", before_workers},
          {"memory_pages", {{"before_workers", pages_before_workers}, {"at_end", pages_at_end}}},
          {"usage", to_json(usage)},
          {"runtime", figures.empty() ? nlohmann::json(nullptr) : nlohmann::json::parse(figures)},
          {"peer", to_json(what.peer)},
          {"build", {{"compiler", what.compiler}, {"flags", what.flags}}},
          {"machine", describe_machine()}};
}

}  // namespace nopal_bench
