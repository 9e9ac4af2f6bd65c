// SPDX-License-Identifier: Apache-2.0
#include "stm/record.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/machine.hpp"
#include "harness/process_usage.hpp"

namespace nopal_bench {

void print(const stm_record& r, const stm_program& p) {
  const nlohmann::json json{{"workload", r.workload},
                            {"variant", p.variant},
                            {"workers", r.threads},
                            {"oversubscribed", r.threads > std::thread::hardware_concurrency()},
                            {"seconds", r.seconds},
                            {"cpu_seconds", r.cpu_seconds},
                            {"commits", r.commits},
                            {"conflicts", r.conflicts},
                            {"read_set", r.read_set},
                            {"read_sets", r.read_sets},
                            {"peak_rss_bytes", peak_resident_bytes()},
                            {"peer", {{"name", p.peer}, {"version", p.version}}},
                            {"build", {{"compiler", p.compiler}, {"flags", p.flags}}},
                            {"machine", describe_machine()}};
  std::printf("%s\n", json.dump().c_str());
}

}  // namespace nopal_bench
