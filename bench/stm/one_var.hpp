// SPDX-License-Identifier: Apache-2.0
// The smallest transaction: one value is read and written.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "stm/tm.hpp"

namespace nopal_bench {

/// A counter that a transaction increments.
struct counter_of_transactions {
  void increment() {
    tm::atomically([this](tm::transaction& t) {
      t.set(whole, whole.value, t.get(whole, whole.value) + 1);
      return 0;
    });
  }
  [[nodiscard]] std::uint64_t now() const { return whole.value.value(); }

  struct : tm::object {
    tm::field<std::uint64_t> value{0};
  } whole;
};

/// What a transaction of one value competes with.
struct atomic_counter {
  void increment() { value.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t now() const { return value.load(std::memory_order_relaxed); }

  std::atomic<std::uint64_t> value{0};
};

/// Each thread increments a counter, in turn: of its own, or one that all share.
template <class Counter>
class counting {
 public:
  counting(bool shared, unsigned threads, std::uint64_t operations)
      : shared_(shared),
        threads_(threads),
        operations_(operations / threads * threads),
        counters_(new apart[threads]) {}

  void run(unsigned thread, unsigned threads) {
    Counter& c = counters_[shared_ ? 0 : thread].counter;
    for (std::uint64_t i = 0; i < operations_ / threads; ++i) c.increment();
  }
  /// \throws std::runtime_error if an increment is lost.
  void check() const {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < threads_; ++i) sum += counters_[i].counter.now();
    if (sum != operations_) throw std::runtime_error("wrong: the sum");
  }

 private:
  struct alignas(128) apart {
    Counter counter;
  };
  bool shared_;
  unsigned threads_;
  std::uint64_t operations_;
  std::unique_ptr<apart[]> counters_;
};

using one_var = counting<counter_of_transactions>;
using one_atomic = counting<atomic_counter>;

}  // namespace nopal_bench
