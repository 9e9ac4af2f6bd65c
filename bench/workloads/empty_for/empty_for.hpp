// SPDX-License-Identifier: Apache-2.0
// A parallel loop of n bodies that each mark a byte, split down to single bodies. It shows what a
// fork costs that brings nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"

namespace nopal_bench {

/// The body. It is a store, so that no compiler may leave it out.
inline void empty_body(std::uint8_t& mark) { ++mark; }

struct empty_for_problem {
  static constexpr std::string_view name = "empty_for";
  static constexpr std::array sizes{problem_size{"smoke", 10000}, problem_size{"quick", 10000000},
                                    problem_size{"paper", 100000000}};

  explicit empty_for_problem(std::uint64_t size) : marks(size) {}

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
    return "body " + std::to_string(wrong - marks.begin()) + " ran " + std::to_string(*wrong) +
           " times";
  }

  std::vector<std::uint8_t> marks;
  bool result = false;  // set once all are marked, for the record
};

/// The kernel of all variants: f takes the first mark and the last.
template <class Session, class F>
void run_empty_for(Session& session, empty_for_problem& p, F f) {
  session.run(f, p.marks.data(), p.marks.data() + p.marks.size());
  p.result = true;
}

}  // namespace nopal_bench
