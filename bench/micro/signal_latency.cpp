// SPDX-License-Identifier: Apache-2.0
// The time from the last signal of a countdown to the first instruction of the strand that waits
// for it, on one worker: by signal_and_end(), which hands the worker over, and by signal(), which
// puts the strand that waits into an inbox.
#include <cstdint>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"
#include "ticks.hpp"

namespace nopal_bench {
namespace {

/// Measures the nanoseconds from the call of the signal to the return of wait().
template <class Signal>
nlohmann::json measure_signals(nopal::runtime& rt, Signal signal, unsigned rounds, double tick) {
  constexpr unsigned warm_up = 100;
  std::vector<double> latencies;
  latencies.reserve(rounds);
  rt.run([&] {
    for (unsigned i = 0; i < rounds + warm_up; ++i) {
      nopal::countdown ready(1);
      std::uint64_t signalled = 0;
      std::uint64_t gone_on = 0;
      nopal::parallel_invoke(
          [&] {
            ready.wait();
            gone_on = ticks();
          },
          [&] {
            signalled = ticks();
            signal(ready);
          });
      if (i >= warm_up) latencies.push_back(static_cast<double>(gone_on - signalled) * tick);
    }
  });
  return quantiles(latencies);
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "signal_latency",
      .what = "Time from the last signal of a countdown to the first instruction of the waiter.",
      .idle = nopal::idle_policy::busy,
      .parameter = "rounds",
      .parameter_meaning = "signals to measure of each kind",
      .parameter_default = 100000,
      .measure = [](const nopal::options& options, double rounds) -> nlohmann::json {
        const double tick = nopal_bench::nanoseconds_per_tick();
        const auto n = static_cast<unsigned>(rounds);
        nopal::runtime rt(options);
        const auto measured = [&](auto signal) {
          return nopal_bench::measure_signals(rt, signal, n, tick);
        };
        return {{"signal_and_end", measured([](nopal::countdown& d) { d.signal_and_end(); })},
                {"signal", measured([](nopal::countdown& d) { d.signal(); })},
                {"runtime", nopal_bench::statistics_json(rt, options)}};
      },
      .workers = 1};
  return nopal_bench::micro_main(argc, argv, m);
}
