// SPDX-License-Identifier: Apache-2.0
// What a runtime without work costs: CPU time of the process while its workers idle and its only
// thread sleeps.
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "harness/process_usage.hpp"
#include "micro_main.hpp"

namespace nopal_bench {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// fib is some work, so that every worker has been awake and has a reason to sleep again.
std::uint64_t fib(unsigned n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

nlohmann::json measure_idle(const nopal::options& options, double seconds) {
  nopal::runtime rt(options);
  using clock = std::chrono::steady_clock;
  const std::uint64_t result = rt.run(fib, 25U);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until all sleep

  const auto usage = process_usage::now();
  const double cpu = cpu_seconds();
  const auto begin = clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double elapsed = std::chrono::duration<double>(clock::now() - begin).count();
  const double used = cpu_seconds() - cpu;
  return {{"seconds", elapsed},
          {"cpu_seconds", used},
          {"cpu_percent", 100 * used / elapsed},
          {"usage", to_json(process_usage::now() - usage)},
          {"work_before", result},
          {"runtime", statistics_json(rt, options)}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{.name = "idle_cpu",
                             .what = "CPU time of an idle runtime, in percent of one CPU.",
                             .idle = nopal::idle_policy::lazy,
                             .parameter = "seconds",
                             .parameter_meaning = "how long to watch",
                             .parameter_default = 5,
                             .measure = nopal_bench::measure_idle};
  return nopal_bench::micro_main(argc, argv, m);
}
