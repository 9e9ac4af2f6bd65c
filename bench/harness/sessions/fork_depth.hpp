// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "nopal/detail/fork/events.hpp"
#include "platform/subscription.hpp"

namespace nopal_bench {

/// How many functions that fork call each other at most, each of which a steal can leave on a stack
/// of its own; a parallel_invoke of k closures counts as the k - 1 that it is made of. For one
/// worker only.
class fork_depth {
 public:
  explicit fork_depth(bool counts) {
    now_ = most_ = 0;
    if (counts) subscription_.emplace(counter{});
  }

  [[nodiscard]] static std::size_t most() { return most_; }

 private:
  struct counter {
    void operator()(const nopal::detail::fork_events::entered& e) const {
      most_ = std::max(most_, now_ += e.forks);
    }
    void operator()(const nopal::detail::fork_events::left& e) const { now_ -= e.forks; }
  };

  static inline std::size_t now_ = 0;
  static inline std::size_t most_ = 0;
  std::optional<nopal::detail::subscription<nopal::detail::fork_events::all>> subscription_;
};

}  // namespace nopal_bench
