// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "nopal/detail/fork/events.hpp"
#include "platform/subscription.hpp"

namespace nopal_bench {

/// D of the papers' bound P (S_1 + D): how many functions that fork call each other at most. A
/// parallel_invoke is one of them, whatever the number of its closures. The count is right for one
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
    void operator()(const nopal::detail::fork_events::entered&) const {
      most_ = std::max(most_, ++now_);
    }
    void operator()(const nopal::detail::fork_events::left&) const { --now_; }
  };

  static inline std::size_t now_ = 0;
  static inline std::size_t most_ = 0;
  std::optional<nopal::detail::subscription<nopal::detail::fork_events::all>> subscription_;
};

}  // namespace nopal_bench
