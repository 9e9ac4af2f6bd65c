// SPDX-License-Identifier: Apache-2.0
// What taking a free stack and putting it back costs if every thread does nothing else: with a list
// for each worker, as nopal has it, and with one bitmap for all (Schmaus 2015, table 3.1).
#include "strand/stack_cache.hpp"

#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "micro_main.hpp"
#include "quantiles.hpp"
#include "variants/strand/stack_bitmap.hpp"

namespace nopal_bench {
namespace {

constexpr unsigned stacks_of_each = 4;
constexpr unsigned pairs = 2000;  // in a turn

/// A cache for each worker.
class lists {
 public:
  explicit lists(unsigned workers) {
    for (unsigned w = 0; w < workers; ++w) {
      caches_.push_back(std::make_unique<nopal::detail::stack_cache>());
      for (unsigned i = 0; i < stacks_of_each; ++i) {
        nopal::detail::stack* s = caches_[w]->map(std::size_t{1} << 16);
        if (s == nullptr) throw std::runtime_error("the system has no stack of 64 KiB left");
        caches_[w]->put(s);
      }
    }
  }
  /// Takes a free stack and puts it back. Returns whether there was one.
  bool take_and_put(unsigned w) noexcept {
    nopal::detail::stack* s = caches_[w]->get();
    if (s == nullptr) return false;
    caches_[w]->put(s);
    return true;
  }

 private:
  std::vector<std::unique_ptr<nopal::detail::stack_cache>> caches_;
};

class bitmap {
 public:
  explicit bitmap(unsigned workers) : free_(std::size_t{workers} * stacks_of_each) {
    for (std::size_t s = 0; s < std::size_t{workers} * stacks_of_each; ++s) free_.put(s);
  }
  bool take_and_put(unsigned /*worker*/) noexcept {
    const std::size_t s = free_.get();
    if (s == nopal::detail::stack_bitmap::none) return false;
    free_.put(s);
    return true;
  }

 private:
  nopal::detail::stack_bitmap free_;
};

struct found {
  /// The time of one taking and putting back, for each thread and turn.
  std::vector<double> nanoseconds;
  std::uint64_t without = 0;  ///< How often there was no free stack.
};

template <class Cache>
nlohmann::json measure(unsigned threads, unsigned turns) {
  Cache cache(threads);
  std::barrier together(threads);
  std::mutex lock;
  found all;
  const auto run = [&](unsigned w) {
    using clock = std::chrono::steady_clock;
    found mine;
    for (unsigned turn = 0; turn < turns; ++turn) {
      together.arrive_and_wait();
      const auto begin = clock::now();
      for (unsigned i = 0; i < pairs; ++i) mine.without += cache.take_and_put(w) ? 0 : 1;
      const std::chrono::duration<double, std::nano> t = clock::now() - begin;
      mine.nanoseconds.push_back(t.count() / pairs);
    }
    const std::scoped_lock hold(lock);
    all.nanoseconds.insert(all.nanoseconds.end(), mine.nanoseconds.begin(), mine.nanoseconds.end());
    all.without += mine.without;
  };
  {
    std::vector<std::jthread> others;
    for (unsigned w = 1; w < threads; ++w) others.emplace_back(run, w);
    run(0);
  }
  return {{"nanoseconds", quantiles(all.nanoseconds)}, {"without", all.without}};
}

nlohmann::json measure_caches(const nopal::options& options, double turns) {
  const auto n = static_cast<unsigned>(turns);
  return {{"lists", measure<lists>(options.workers, n)},
          {"bitmap", measure<bitmap>(options.workers, n)}};
}

}  // namespace
}  // namespace nopal_bench

int main(int argc, char** argv) {
  const nopal_bench::micro m{
      .name = "stack_cache",
      .what = "Taking a free stack and putting it back, by lists of workers and by one bitmap.",
      .idle = nopal::idle_policy::lazy,
      .parameter = "turns",
      .parameter_meaning = "how many, of 2000 stacks each",
      .parameter_default = 500,
      .measure = nopal_bench::measure_caches};
  return nopal_bench::micro_main(argc, argv, m);
}
