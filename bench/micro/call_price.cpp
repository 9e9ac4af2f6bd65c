// SPDX-License-Identifier: Apache-2.0
// What a parallel call costs on a thread that is no worker, and the same call inside of run().
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"

namespace nopal_bench {
namespace {

volatile long sink = 0;

void nothing() {
  nopal::run([] { sink = sink + 1; });
}
void two_closures() {
  nopal::parallel_invoke([] { sink = sink + 1; }, [] {});
}
void for_each_1000() {
  nopal::for_each(0, 1000, [](int i) { sink = i; });
}

double nanoseconds_of(void (*call)()) {
  constexpr int calls = 1000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
             .count() /
         calls;
}

/// Takes both in turn, and their ratio within each round.
nlohmann::json measure_call(void (*call)(), double rounds) {
  std::vector<double> outside, inside, ratio;
  for (double i = 0; i < rounds; ++i) {
    outside.push_back(nanoseconds_of(call));
    inside.push_back(nopal::run([call] { return nanoseconds_of(call); }));
    ratio.push_back(outside.back() / inside.back());
  }
  return {{"nanoseconds", quantiles(outside)},
          {"nanoseconds_inside", quantiles(inside)},
          {"over_inside", quantiles(ratio)}};
}

nlohmann::json measure_calls(const nopal::options& options, double rounds) {
  // The calls go to the default runtime, which the environment sets up.
  setenv("NOPAL_WORKERS", std::to_string(options.workers).c_str(), 1);
  return {{"nothing", measure_call(nothing, rounds)},
          {"two_closures", measure_call(two_closures, rounds)},
          {"for_each_1000", measure_call(for_each_1000, rounds)}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "call_price",
      .what = "Time of small parallel calls from a thread that is no worker.",
      .idle = nopal::idle_policy::lazy,
      .parameter = "rounds",
      .parameter_meaning = "rounds of 1000 calls each",
      .parameter_default = 200,
      .measure = nopal_bench::measure_calls};
  return nopal_bench::micro_main(argc, argv, m);
}
