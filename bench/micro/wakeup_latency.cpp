// SPDX-License-Identifier: Apache-2.0
// The time from run() on an outside thread to the first instruction of the closure, which a worker
// runs, with all workers asleep before.
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"
#include "ticks.hpp"

namespace nopal_bench {
namespace {

nlohmann::json measure_wake_ups(nopal::options options, double rounds) {
  options.caller_works = false;
  const double tick = nanoseconds_per_tick();
  nopal::runtime rt(options);
  rt.run([] {});
  std::minstd_rand random(1);
  std::uniform_int_distribution<int> pause(1000, 5000);  // µs
  std::vector<double> starts;
  std::vector<double> returns;
  for (unsigned i = 0, n = static_cast<unsigned>(rounds); i < n; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(pause(random)));
    const std::uint64_t begin = ticks();
    const std::uint64_t started = rt.run([] { return ticks(); });
    const std::uint64_t end = ticks();
    starts.push_back(static_cast<double>(started - begin) * tick);
    returns.push_back(static_cast<double>(end - begin) * tick);
  }
  return {{"nanoseconds", quantiles(starts)},
          {"nanoseconds_to_return", quantiles(returns)},
          {"runtime", statistics_json(rt, options)}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "wakeup_latency",
      .what = "Time from run() with all workers asleep to the first instruction of the closure.",
      .idle = nopal::idle_policy::lazy,
      .parameter = "rounds",
      .parameter_meaning = "wake-ups to measure",
      .parameter_default = 1000,
      .measure = nopal_bench::measure_wake_ups};
  return nopal_bench::micro_main(argc, argv, m);
}
