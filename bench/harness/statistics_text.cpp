// SPDX-License-Identifier: Apache-2.0
#include "statistics_text.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace nopal_bench {

namespace {

nlohmann::json to_json(const nopal::counts& c) {
  return {{"forks", c.forks},
          {"steals", c.steals},
          {"failed_steals", c.failed_steals},
          {"suspensions", c.suspensions},
          {"foreign_resumptions", c.foreign_resumptions},
          {"sent_home", c.sent_home},
          {"stack_switches", c.stack_switches},
          {"stacks_mapped", c.stacks_mapped},
          {"stacks_stolen", c.stacks_stolen},
          {"unmaps", c.unmaps},
          {"pages_given_back", c.pages_given_back},
          {"sleeps", c.sleeps},
          {"wake_ups", c.wake_ups}};
}

nlohmann::json to_json(const nopal::statistics& s) {
  auto workers = nlohmann::json::array();
  for (const auto& c : s.per_worker) {
    workers.push_back(to_json(c));
  }
  return {{"total", to_json(s.total)},        {"per_worker", std::move(workers)},
          {"stacks_in_use", s.stacks_in_use}, {"peak_stacks_in_use", s.peak_stacks_in_use},
          {"unpinned", s.unpinned},           {"asymmetric_fences", s.asymmetric_fences}};
}

nlohmann::json to_json(const nopal::options& o) {
  constexpr const char* reclaim[] = {"none", "free", "dontneed", "adaptive"};
  return {{"workers", o.workers},
          {"pin", o.pin},
          {"idle", o.idle == nopal::idle_policy::lazy ? "lazy" : "busy"},
          {"stack_bytes", o.stack_bytes},
          {"reclaim", reclaim[static_cast<int>(o.reclaim)]},
          {"seed", o.seed}};
}

}  // namespace

std::string statistics_text(const nopal::statistics& s, const nopal::options& o,
                            const std::vector<std::pair<std::string_view, std::size_t>>& more) {
  auto text = to_json(s);
  text["options"] = to_json(o);
  for (const auto& [name, count] : more) {
    text[std::string(name)] = count;
  }
  return text.dump();
}

}  // namespace nopal_bench
