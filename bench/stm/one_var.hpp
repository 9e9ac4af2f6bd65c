// SPDX-License-Identifier: Apache-2.0
// The smallest transaction: one value is read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "stm/tm.hpp"

namespace nopal_bench {

/// Each thread increments a counter, in turn: of its own, or one that all share.
class one_var {
 public:
  one_var(bool shared, unsigned threads, std::uint64_t operations)
      : shared_(shared),
        threads_(threads),
        operations_(operations / threads * threads),
        counters_(new counter[threads]) {}

  void run(unsigned thread, unsigned threads) {
    counter& c = counters_[shared_ ? 0 : thread];
    for (std::uint64_t i = 0; i < operations_ / threads; ++i)
      tm::atomically([&](tm::transaction& t) {
        t.set(c, c.value, t.get(c, c.value) + 1);
        return 0;
      });
  }
  /// \throws std::runtime_error if an increment is lost.
  void check() const {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < threads_; ++i) sum += counters_[i].value.value();
    if (sum != operations_) throw std::runtime_error("wrong: the sum");
  }

 private:
  struct alignas(128) counter : tm::object {
    tm::field<std::uint64_t> value{0};
  };
  bool shared_;
  unsigned threads_;
  std::uint64_t operations_;
  std::unique_ptr<counter[]> counters_;
};

}  // namespace nopal_bench
