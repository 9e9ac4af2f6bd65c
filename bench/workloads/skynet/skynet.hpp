// SPDX-License-Identifier: Apache-2.0
// A tree of ten children for each inner node down to n leaves; n is a power of ten. A leaf is worth
// its ordinal, an inner node the sum of its children. There are ten forks in a row, and next to no
// work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"

namespace nopal_bench {

constexpr std::size_t skynet_children = 10;

struct skynet_problem {
  static constexpr std::string_view name = "skynet";
  static constexpr std::array sizes{problem_size{"smoke", 1000}, problem_size{"quick", 100000000},
                                    problem_size{"paper", 100000000},
                                    problem_size{"million", 1000000}};

  explicit skynet_problem(std::uint64_t size) : leaves(size) {
    for (; size > 1 && size % skynet_children == 0; size /= skynet_children) {
    }
    if (size != 1) {
      throw std::invalid_argument("skynet: n is " + std::to_string(leaves) +
                                  ", allowed are powers of 10");
    }
  }

  void prepare() { result = 0; }
  [[nodiscard]] std::string error() const {
    const std::uint64_t right = leaves * (leaves - 1) / 2;
    return result == right ? "" : std::to_string(result) + ", not " + std::to_string(right);
  }

  std::uint64_t leaves;
  std::uint64_t result = 0;
};

}  // namespace nopal_bench
