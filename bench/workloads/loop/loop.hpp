// SPDX-License-Identifier: Apache-2.0
// One function that forks n times in a loop before it joins. What counts is the memory: that of a
// library that stores the children, or lets the loop run ahead of them, grows with n.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

struct loop_problem {
  static constexpr std::string_view name = "loop";
  static constexpr std::array sizes{problem_size{"smoke", 1000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 10000000}};

  explicit loop_problem(std::uint64_t size) : n(size) {}

  void prepare() {
    total.store(0, std::memory_order_relaxed);
    result = 0;
  }
  [[nodiscard]] std::string error() const {
    const std::uint64_t right = n * (n - 1) / 2;
    return result == right ? "" : std::to_string(result) + ", not " + std::to_string(right);
  }

  std::uint64_t n;
  std::atomic<std::uint64_t> total{0};
  std::uint64_t result = 0;
};

/// A child. The addition is relaxed: the join orders the last addition before the total is read.
inline void loop_child(std::atomic<std::uint64_t>* total, std::uint64_t i) {
  total->fetch_add(i, std::memory_order_relaxed);
}

/// The kernel of all variants: the loop, then its result.
template <class Session, class F>
void run_loop(Session& session, loop_problem& p, F f) {
  session.run(f, &p.total, p.n);
  p.result = p.total.load(std::memory_order_relaxed);
}

}  // namespace nopal_bench
