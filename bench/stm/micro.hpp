// SPDX-License-Identifier: Apache-2.0
// The two micro-benchmarks of Gidron 2012, section 2.3: what contention costs, and what spatial
// locality saves. They use no transactions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "stm/random.hpp"

namespace nopal_bench {

/// Each thread reads four times and writes once, in turn: an integer of its own, or one that all
/// share.
class contention {
 public:
  contention(bool shared, unsigned threads, std::uint64_t operations)
      : shared_(shared), operations_(operations), integers_(threads) {}

  void run(unsigned thread, unsigned threads) {
    std::atomic<std::uint64_t>& x = integers_[shared_ ? 0 : thread].value;
    const std::uint64_t mine = operations_ / threads;
    for (std::uint64_t i = 0; i < mine; ++i) {
      if (i % 5 == 4)
        x.store(i, std::memory_order_relaxed);
      else if (x.load(std::memory_order_relaxed) >= operations_)
        throw std::runtime_error("wrong: nobody has written this");
    }
  }
  void check() const {}

 private:
  struct alignas(128) integer {
    std::atomic<std::uint64_t> value{0};
  };
  bool shared_;
  std::uint64_t operations_;
  std::vector<integer> integers_;
};

/// Each thread reads two places of an array of its own at a time: lines that are far from each
/// other, or two words of one line. Where it reads next depends on what it has read: a processor
/// would fetch lines that it knows early at the same time, and hide what the second one costs.
class locality {
 public:
  locality(bool near, unsigned threads, std::uint64_t operations)
      : near_(near), operations_(operations) {
    for (unsigned i = 0; i < threads; ++i) {
      arrays_.emplace_back(new std::uint64_t[words]);
      for (std::size_t k = 0; k < words; ++k) arrays_.back()[k] = 1;
    }
    sums_.resize(threads);
  }

  void run(unsigned thread, unsigned threads) {
    const std::uint64_t* a = arrays_[thread].get();
    random_numbers random(thread);
    std::uint64_t sum = 0, last = 1;
    for (std::uint64_t i = 0; i < operations_ / threads; ++i) {
      const std::size_t first = (random.below(words / line) + last - 1) * line;
      const std::uint64_t value = a[first];
      const std::size_t second = near_ ? first + 1 : (first + words / 2) % words;
      last = a[second + (value - 1) * line];
      sum += value + last;
    }
    sums_[thread] = sum;
  }
  void check() const {
    for (const std::uint64_t sum : sums_)
      if (sum != operations_ / sums_.size() * 2) throw std::runtime_error("wrong: the sum");
  }

 private:
  static constexpr std::size_t line = 8;
  static constexpr std::size_t words = std::size_t{1} << 22;  // 32 MiB for each thread

  bool near_;
  std::uint64_t operations_;
  std::vector<std::unique_ptr<std::uint64_t[]>> arrays_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace nopal_bench
