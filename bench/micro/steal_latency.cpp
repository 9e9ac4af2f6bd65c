// SPDX-License-Identifier: Apache-2.0
// The time from the fork to the first instruction of the stolen continuation, with the thief awake
// and searching. The first child spins until the continuation has started, so the continuation can
// only run where it was stolen. The continuation lasts for a while, because thieves pause after
// steals that were not worth it.
#include <atomic>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"
#include "ticks.hpp"

namespace nopal_bench {
namespace {

// What the two strands of a round tell each other. It lies apart from everything else, so that only
// the steal moves cache lines.
struct alignas(128) round_state {
  std::uint64_t forked = 0;
  std::uint64_t started = 0;
  bool stolen = false;
  double tick = 1;
  std::atomic<bool> seen{false};
};

constexpr double stolen_lasts_ns = 20e3;
// The child gives up after this time: nobody is there to steal, or its CPU is taken away.
constexpr double patience_ns = 50e6;

void wait_until_seen(round_state* s) {
  const std::uint64_t begin = ticks();
  // The acquire pairs with the release in run_stolen().
  while (!s->seen.load(std::memory_order_acquire)) {
    if (static_cast<double>(ticks() - begin) * s->tick > patience_ns) {
      return;
    }
  }
  s->stolen = true;
}

void run_stolen(round_state& s) {
  s.started = ticks();
  const double tick = s.tick;
  s.seen.store(true, std::memory_order_release);  // pairs with the acquire in wait_until_seen()
  spin_for(stolen_lasts_ns, tick);
}

void invoke_round(round_state& s) {
  s.forked = ticks();
  nopal::parallel_invoke([&s] { wait_until_seen(&s); }, [&s] { run_stolen(s); });
}

NOPAL_FORKS void frame_round(round_state& s) {
  nopal::fork_frame frame;
  s.forked = ticks();
  frame.fork(wait_until_seen, &s);
  run_stolen(s);
  frame.join();
}

nlohmann::json measure_rounds(nopal::runtime& rt, void (*one_round)(round_state&), unsigned rounds,
                              double tick) {
  std::vector<double> latencies;
  unsigned missed = 0;
  rt.run([&] {
    std::minstd_rand random(1);
    // The pause is in ns: the thief is at a random place of its search.
    std::uniform_real_distribution<double> pause(1e3, 20e3);
    constexpr unsigned warm_up = 20;
    for (unsigned i = 0; i < rounds + warm_up && missed < 20; ++i) {
      spin_for(pause(random), tick);
      round_state s;
      s.tick = tick;
      one_round(s);
      if (!s.stolen) {
        ++missed;
      } else if (i >= warm_up) {
        latencies.push_back(static_cast<double>(s.started - s.forked) * tick);
      }
    }
  });
  if (latencies.empty() && rt.workers() > 1) {
    throw std::runtime_error("no continuation was stolen");
  }
  return {{"nanoseconds", quantiles(latencies)}, {"not_stolen", missed}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "steal_latency",
      .what = "Time from a fork to the first instruction of its stolen continuation.",
      .idle = nopal::idle_policy::busy,
      .parameter = "rounds",
      .parameter_meaning = "steals to measure of each front end",
      .parameter_default = 20000,
      .measure = [](const nopal::options& options, double rounds) -> nlohmann::json {
        const double tick = nopal_bench::nanoseconds_per_tick();
        const auto n = static_cast<unsigned>(rounds);
        nopal::runtime rt(options);
        return {{"invoke", nopal_bench::measure_rounds(rt, nopal_bench::invoke_round, n, tick)},
                {"frame", nopal_bench::measure_rounds(rt, nopal_bench::frame_round, n, tick)},
                {"runtime", nopal_bench::statistics_json(rt, options)}};
      }};
  return nopal_bench::micro_main(argc, argv, m);
}
