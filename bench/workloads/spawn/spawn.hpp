// SPDX-License-Identifier: Apache-2.0
// One function that spawns n functions which do next to nothing, and joins them. It shows what it
// costs to queue a function, to run it, and to know when all have ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"

namespace nopal_bench {

/// What is spawned. It is a store, so that no compiler may leave it out and a function that is lost
/// is noticed.
inline void spawned_function(std::uint8_t* mark) { ++*mark; }

struct spawn_problem {
  static constexpr std::string_view name = "spawn";
  static constexpr std::array sizes{problem_size{"smoke", 1000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 10000000}};

  explicit spawn_problem(std::uint64_t size) : marks(size) {}

  void prepare() {
    std::fill(marks.begin(), marks.end(), std::uint8_t{0});
    result = false;
  }
  [[nodiscard]] std::string error() const {
    const auto wrong =
        std::find_if(marks.begin(), marks.end(), [](std::uint8_t mark) { return mark != 1; });
    if (wrong == marks.end()) {
      return "";
    }
    return "function " + std::to_string(wrong - marks.begin()) + " ran " + std::to_string(*wrong) +
           " times";
  }

  std::vector<std::uint8_t> marks;
  bool result = false;  // set once all are joined, for the record
};

/// The kernel of all variants: f takes the first mark and the last.
template <class Session, class F>
void run_spawn(Session& session, spawn_problem& p, F f) {
  session.run(f, p.marks.data(), p.marks.data() + p.marks.size());
  p.result = true;
}

}  // namespace nopal_bench
