// SPDX-License-Identifier: Apache-2.0
#include "pool/record.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "harness/machine.hpp"
#include "harness/measure.hpp"
#include "harness/process_usage.hpp"
#include "pool/memory.hpp"
#include "pool/places.hpp"

namespace nopal_bench {

namespace {

constexpr double million = 1e6;

nlohmann::json chunk_json(std::uint32_t chunk) {
  return chunk == 0 ? nlohmann::json(nullptr) : nlohmann::json(chunk);
}

template <class T>
nlohmann::json json_or_null(const std::optional<T>& x) {
  return x.has_value() ? nlohmann::json(*x) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const pool_repetition& r) {
  return {{"seconds", r.seconds},
          {"tasks", r.tasks},
          {"put", r.put},
          {"pauses", r.pauses},
          {"empty_gets", r.empty_gets},
          {"compare_and_swaps", json_or_null(r.compare_and_swaps)}};
}

}  // namespace

nlohmann::json list_pool_variants() {
  auto list = nlohmann::json::array();
  for (const auto& v : pool_variants()) {
    list.push_back(
        {{"variant", v.name}, {"chunk", chunk_json(v.chunk)}, {"peer", to_json(v.peer)}});
  }
  return list;
}

nlohmann::json measure_pool(const pool_variant& what, const pool_load& how, unsigned repetitions) {
  std::optional<unsigned> memory_nodes;
  if (how.memory_on_one_node) {
    memory_nodes = keep_memory_on_first_node();  // before there is anything of a pool
  }
  const std::uint64_t before_workers = resident_bytes();
  const auto begin = process_usage::now();
  auto found = nlohmann::json::array();
  std::vector<double> seconds;
  std::vector<double> rates;
  for (unsigned i = 0; i < repetitions; ++i) {
    const pool_repetition r = what.repeat_once(how);
    const auto tasks = static_cast<double>(r.tasks);
    found.push_back(to_json(r));
    seconds.push_back(r.seconds / tasks * million);
    rates.push_back(tasks / r.seconds);
  }
  const auto usage = process_usage::now() - begin;
  return {
      {"workload", "pool"},
      {"variant", what.name},
      {"producers", how.producers},
      {"consumers", how.consumers},
      {"workers", how.threads()},
      {"oversubscribed", how.threads() > number_of_places()},
      {"chunk", chunk_json(how.chunk)},
      {"pinned", how.pinned},
      {"producers_alone", how.producers_alone},
      {"slow", how.slow},
      {"stalled", how.stalled},
      {"memory_on_one_node", how.memory_on_one_node},
      {"memory_nodes", json_or_null(memory_nodes)},  // whoever does not ask hwloc does not know
      {"window", how.window},
      {"seconds", seconds},  // for a million tasks: what takes longer is slower, as in all records
      {"tasks_per_second", rates},
      {"repetitions", found},
      {"warm_up_seconds", how.warm_up_seconds()},
      {"correct", true},
      {"peak_rss_bytes", peak_resident_bytes()},
      {"rss_before_workers_bytes", before_workers},
      {"usage", to_json(usage)},
      {"runtime", nullptr},
      {"peer", to_json(what.peer)},
      {"build", {{"compiler", what.compiler}, {"flags", what.flags}}},
      {"machine", describe_machine()}};
}

}  // namespace nopal_bench
