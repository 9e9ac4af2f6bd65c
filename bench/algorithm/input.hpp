// SPDX-License-Identifier: Apache-2.0
// What every case of an algorithm keeps: its elements as they were made, and as calls leave them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/data.hpp"

namespace nopal_bench {

/// A call of less than a moment is repeated, each time with elements that a processor has not yet
/// learnt.
inline std::size_t calls_of(std::size_t n) {
  constexpr std::size_t enough_elements = std::size_t{1} << 17, enough_calls = 1000;
  return std::clamp<std::size_t>(enough_elements / n, 1, enough_calls);
}

/// The elements of all calls, n of each.
template <class T>
class input {
 public:
  input(distribution d, std::size_t n)
      : n_(n), made_(make_data<T>(d, n * calls_of(n))), now_(made_) {}

  [[nodiscard]] std::size_t calls() const { return calls_of(n_); }
  void prepare() { now_ = made_; }
  [[nodiscard]] std::span<const T> made(std::size_t call) const { return part(made_, call); }
  [[nodiscard]] std::span<const T> now(std::size_t call) const { return part(now_, call); }
  [[nodiscard]] std::span<T> now(std::size_t call) {
    return std::span(now_).subspan(call * n_, n_);
  }

 private:
  [[nodiscard]] std::span<const T> part(const std::vector<T>& all, std::size_t call) const {
    return std::span(all).subspan(call * n_, n_);
  }

  std::size_t n_;
  std::vector<T> made_, now_;
};

/// A number of elements in any order.
template <class T>
std::uint64_t sum_of_hashes(std::span<const T> elements) {
  std::uint64_t sum = 0;
  for (const T& x : elements) sum += hash_of(x);
  return sum;
}

/// A number of elements in their order.
template <class T>
std::uint64_t checksum(std::span<const T> elements) {
  std::uint64_t sum = 0, factor = 1;
  for (const T& x : elements) {
    sum += hash_of(x) * factor;
    factor += 2;
  }
  return sum;
}

}  // namespace nopal_bench
