// SPDX-License-Identifier: Apache-2.0
// Whether a first attempt is worth its system call.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/io/request.hpp"

namespace nopal::detail {

/// How often, one after the other, the latest receptions by each descriptor have had to wait.
/// Descriptors share a count if they are equal modulo the number of counts, and one that is closed
/// leaves its count to the next file of its number. A wrong count costs time and nothing else.
class io_expectation {
 public:
  explicit io_expectation(int fd) noexcept : waits_(all[static_cast<unsigned>(fd) % all.size()]) {}

  /// A peer that sends no more than it is asked for makes each reception wait. One attempt of 16 is
  /// made all the same, to see when that changes.
  [[nodiscard]] bool is_to_wait() const noexcept {
    const unsigned n = waits_.load(std::memory_order_relaxed);
    return n >= enough && n % attempt_each != 0;
  }
  void note(bool waits) noexcept {
    const unsigned n = waits_.load(std::memory_order_relaxed);
    const unsigned next = !waits ? 0 : n < most ? n + 1 : most + 1 - attempt_each;
    if (next != n) waits_.store(static_cast<std::uint8_t>(next), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned enough = 4;
  static constexpr unsigned attempt_each = 16;
  static constexpr unsigned most = 255;
  static_assert((most + 1) % attempt_each == 0);

  static inline std::array<std::atomic<std::uint8_t>, 1 << 14> all{};

  std::atomic<std::uint8_t>& waits_;
};

}  // namespace nopal::detail
