// SPDX-License-Identifier: Apache-2.0
// What an update of a reducer costs in an innermost loop, as a multiple of an update of a local
// variable. It runs on one worker, in turns of some hundred microseconds.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"

namespace nopal_bench {
namespace {

using number = std::uint64_t;
using sum = nopal::reducer<nopal::monoid::add<number>>;

constexpr std::size_t elements = 4096;
constexpr unsigned loops = 50;

/// The loop does nothing besides the update.
struct plain {
  static constexpr const char* name = "element";
  static number of(number x) { return x; }
};
/// The loop does eight multiplications for each update, each of which waits for the one before.
struct hashed {
  static constexpr const char* name = "hash";
  static number of(number x) {
    for (unsigned i = 0; i < 8; ++i) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
    return x;
  }
};

template <class Work>
[[gnu::noinline]] number by_local_variable(std::span<const number> a) {
  number s = 0;
  for (const number x : a) s += Work::of(x);
  return s;
}
template <class Work>
[[gnu::noinline]] void by_reducer(std::span<const number> a, sum& s) {
  for (const number x : a) s += Work::of(x);
}
template <class Work>
[[gnu::noinline]] void by_reference(std::span<const number> a, sum& s) {
  number& view = *s;
  for (const number x : a) view += Work::of(x);
}
template <class Work>
[[gnu::noinline]] void by_worker_local(std::span<const number> a,
                                       nopal::worker_local<number>& values) {
  for (const number x : a) values.with([x](number& v) { v += Work::of(x); });
}

/// The nanoseconds of one update.
template <class F>
double nanoseconds_of(F loop) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  for (unsigned i = 0; i < loops; ++i) {
    loop();
    asm volatile("" : : : "memory");
  }
  const std::chrono::duration<double, std::nano> t = clock::now() - begin;
  return t.count() / loops / elements;
}

template <class Work>
nlohmann::json measure_with(std::span<const number> a, double rounds) {
  std::vector<double> local;
  std::vector<double> reducer;
  std::vector<double> reference;
  std::vector<double> worker_local;
  sum s;
  nopal::worker_local<number> values;
  volatile number unused = 0;
  for (double round = 0; round < rounds; ++round) {
    const double before = nanoseconds_of([&] { unused = by_local_variable<Work>(a); });
    const double r = nanoseconds_of([&] { by_reducer<Work>(a, s); });
    const double f = nanoseconds_of([&] { by_reference<Work>(a, s); });
    const double w = nanoseconds_of([&] { by_worker_local<Work>(a, values); });
    const double after = nanoseconds_of([&] { unused = by_local_variable<Work>(a); });
    const double by = (before + after) / 2;
    local.push_back(by);
    reducer.push_back(r / by);
    reference.push_back(f / by);
    worker_local.push_back(w / by);
  }
  static_cast<void>(unused);
  return {{"local_nanoseconds", quantiles(local)},
          {"reducer_by_local", quantiles(reducer)},
          {"reference_by_local", quantiles(reference)},
          {"worker_local_by_local", quantiles(worker_local)}};
}

nlohmann::json measure_price(const nopal::options& options, double rounds) {
  nopal::runtime rt(options);
  nlohmann::json all;
  rt.run([&] {
    const std::vector<number> a(elements, 3);
    all[plain::name] = measure_with<plain>(a, rounds);
    all[hashed::name] = measure_with<hashed>(a, rounds);
  });
  all["runtime"] = statistics_json(rt, options);
  return all;
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "reducer_price",
      .what = "Updates of a reducer by updates of a local variable, in an innermost loop.",
      .idle = nopal::idle_policy::lazy,
      .parameter = "rounds",
      .parameter_meaning = "how many turns",
      .parameter_default = 200,
      .measure = nopal_bench::measure_price,
      .workers = 1};
  return nopal_bench::micro_main(argc, argv, m);
}
