// SPDX-License-Identifier: Apache-2.0
// One variant of transactions, with all workloads: nopal-bench-stm-VARIANT WORKLOAD THREADS
// [SHARE]. Prints one line of JSON. SHARE divides the amount of work, which is then done once;
// otherwise what is short is repeated. --list lists the workloads.
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/program.hpp"
#include "stm/intruder.hpp"
#include "stm/micro.hpp"
#include "stm/one_var.hpp"
#include "stm/record.hpp"
#include "stm/tm.hpp"
#include "stm/vacation.hpp"
#include "stm/yada/yada.hpp"

namespace nopal_bench {
namespace {

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

constexpr double enough_seconds = 0.2;

template <class Workload>
void run_in_threads(Workload& w, unsigned threads) {
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back([&w, i, threads] { w.run(i, threads); });
  w.run(0, threads);
}

/// Runs a workload, checks its result, and prints what it took.
/// \param make  returns the workload, which is made anew for each repetition.
template <class Make>
void measure(const char* name, unsigned threads, unsigned share, Make&& make) {
  stm_record r{name, threads};
  std::uint64_t read = 0;
  double all = 0;
  do {
    const auto w = make();
    const tm::counts before = tm::counted();
    const std::vector<std::uint64_t> read_sets_before = tm::read_sets();
    const double cpu_before = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    run_in_threads(*w, threads);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    r.cpu_seconds.push_back(cpu_seconds() - cpu_before);
    r.seconds.push_back(took.count());
    all += took.count();
    const tm::counts after = tm::counted();
    w->check();
    r.commits += after.commits - before.commits;
    r.conflicts += after.conflicts - before.conflicts;
    read += after.locations_read - before.locations_read;
    r.read_sets = tm::read_sets();
    for (std::size_t i = 0; i < r.read_sets.size(); ++i) r.read_sets[i] -= read_sets_before[i];
  } while (share == 1 && all < enough_seconds);
  if (r.commits != 0) r.read_set = static_cast<double>(read) / static_cast<double>(r.commits);
  print(r, {NOPAL_BENCH_VARIANT, NOPAL_BENCH_PEER, NOPAL_BENCH_PEER_VERSION, this_compiler,
            NOPAL_BENCH_FLAGS});
}

struct workload {
  const char* name;
  std::function<void(const char* name, unsigned threads, unsigned share)> run;
};

workload of_vacation(const char* name, vacation_load l) {
  return {name, [l](const char* n, unsigned threads, unsigned share) {
            vacation_load part = l;
            part.transactions /= share;
            part.relations /= share < 100 ? 1 : 256;  // a smoke test
            measure(n, threads, share, [&] { return std::make_unique<vacation>(part); });
          }};
}
workload of_intruder(const char* name, intruder_load l) {
  return {name, [l](const char* n, unsigned threads, unsigned share) {
            intruder_load part = l;
            part.flows = part.flows / share + 1;
            measure(n, threads, share, [&] { return std::make_unique<intruder>(part); });
          }};
}
workload of_yada(const char* name, yada_load l) {
  return {name, [l](const char* n, unsigned threads, unsigned share) {
            yada_load part = l;
            part.points = part.points / share + 1;
            measure(n, threads, share, [&] { return std::make_unique<yada>(part); });
          }};
}

template <class Micro>
workload of_micro(const char* name, bool flag, std::uint64_t operations) {
  return {name, [=](const char* n, unsigned threads, unsigned share) {
            measure(n, threads, share,
                    [&] { return std::make_unique<Micro>(flag, threads, operations / share); });
          }};
}

/// The sizes of STAMP's README: plain, + and ++; but vacation has as many transactions as it takes
/// to be measured.
std::vector<workload> all_workloads() {
  return {
      of_vacation("vacation-low", {2, 90, 98, 16384, 400'000}),
      of_vacation("vacation-high", {4, 60, 90, 16384, 400'000}),
      of_vacation("vacation-low+", {2, 90, 98, 1'048'576, 400'000}),
      of_vacation("vacation-high+", {4, 60, 90, 1'048'576, 400'000}),
      of_vacation("vacation-low++", {2, 90, 98, 1'048'576, 4'194'304}),
      of_vacation("vacation-high++", {4, 60, 90, 1'048'576, 4'194'304}),
      of_intruder("intruder", {10, 4, 2048, 1}),
      of_intruder("intruder+", {10, 16, 4096, 1}),
      of_intruder("intruder++", {10, 128, 262'144, 1}),
      of_yada("yada", {20, 633, 1}),
      of_yada("yada+", {10, 10'000, 1}),
      of_yada("yada++", {15, 1'000'000, 1}),
      of_micro<one_var>("one-var-local", false, 4'000'000),
      of_micro<one_var>("one-var-shared", true, 4'000'000),
      of_micro<one_atomic>("one-atomic-local", false, 4'000'000),
      of_micro<one_atomic>("one-atomic-shared", true, 4'000'000),
      of_micro<contention>("contention-local", false, 100'000'000),
      of_micro<contention>("contention-shared", true, 100'000'000),
      of_micro<locality>("locality-far", false, 20'000'000),
      of_micro<locality>("locality-near", true, 20'000'000),
  };
}

int run(int argc, char** argv) {
  const std::vector<workload> all = all_workloads();
  if (argc == 2 && std::string(argv[1]) == "--list") {
    for (const workload& w : all) std::printf("%s ", w.name);
    return 0;
  }
  if (argc >= 3) {
    const auto number = [&](int i) { return static_cast<unsigned>(std::atoi(argv[i])); };
    for (const workload& w : all)
      if (w.name == std::string(argv[1]) && number(2) > 0) {
        w.run(w.name, number(2), argc > 3 ? number(3) : 1);
        return 0;
      }
  }
  std::fputs("usage: nopal-bench-stm-VARIANT WORKLOAD THREADS [SHARE], or --list\n", stderr);
  return 2;
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  try {
    return nopal_bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
