// SPDX-License-Identifier: Apache-2.0
// What a fork costs that nobody steals: fib with forks against fib with calls, in turns of a
// millisecond on one worker.
//
// Whole runs in turn, as run_bench makes them, meet different machines if a neighbour comes and
// goes on the same core: the neighbour takes more from code that is limited by throughput, as forks
// are, than from code that waits for its own results, as serial fib does. Turns of a millisecond
// meet the same machine, and the quantiles show both states.
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"

namespace nopal_bench {
namespace {

constexpr unsigned fib_n = 28;
constexpr std::uint64_t fib_of_n = 317811;

[[gnu::noinline]] std::uint64_t fib_serial(unsigned n) {
  if (n < 2) {
    return n;
  }
  return fib_serial(n - 1) + fib_serial(n - 2);
}

std::uint64_t fib_invoke(unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] =
      nopal::parallel_invoke([n] { return fib_invoke(n - 1); }, [n] { return fib_invoke(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fib_frame(unsigned n) {
  if (n < 2) {
    return n;
  }
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_frame, n - 1);
  std::uint64_t b = fib_frame(n - 2);
  frame.join();
  return a + b;
}

/// The seconds of one call, whose argument no compiler knows.
template <class F>
double seconds_of(F fib) {
  using clock = std::chrono::steady_clock;
  volatile unsigned n = fib_n;
  const auto begin = clock::now();
  const std::uint64_t result = fib(n);
  const auto end = clock::now();
  if (result != fib_of_n) {
    throw std::runtime_error("wrong result: fib(" + std::to_string(fib_n) +
                             ") = " + std::to_string(result));
  }
  return std::chrono::duration<double>(end - begin).count();
}

nlohmann::json measure_price(const nopal::options& options, double rounds) {
  nopal::runtime rt(options);
  std::vector<double> serial;
  std::vector<double> invoke;
  std::vector<double> frame;
  rt.run([&] {
    for (double round = 0; round < rounds; ++round) {
      const double before = seconds_of(fib_serial);
      const double by_invoke = seconds_of(fib_invoke);
      const double by_frame = seconds_of(fib_frame);
      const double calls = (before + seconds_of(fib_serial)) / 2;
      serial.push_back(1e9 * calls);
      invoke.push_back(by_invoke / calls);
      frame.push_back(by_frame / calls);
    }
  });
  return {{"n", fib_n},
          {"serial_nanoseconds", quantiles(serial)},
          {"invoke_by_serial", quantiles(invoke)},
          {"frame_by_serial", quantiles(frame)},
          {"runtime", statistics_json(rt, options)}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{.name = "fork_price",
                             .what = "fib with forks by fib with calls, in turns of a millisecond.",
                             .idle = nopal::idle_policy::lazy,
                             .parameter = "rounds",
                             .parameter_meaning = "how many turns",
                             .parameter_default = 500,
                             .measure = nopal_bench::measure_price,
                             .workers = 1};
  return nopal_bench::micro_main(argc, argv, m);
}
