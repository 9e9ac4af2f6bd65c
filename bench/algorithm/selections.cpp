// SPDX-License-Identifier: Apache-2.0
#include "algorithm/selections.hpp"

namespace nopal_bench {

selection::selection(distribution d, std::size_t n) : elements_(d, n), kept_(elements_.calls()) {}

std::uint64_t selection::result() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < calls(); ++i) sum += checksum(elements_.now(i).first(kept_[i]));
  return sum;
}

copying::copying(distribution d, std::size_t n, below pred) : selection(d, n), pred_(pred) {
  for (std::size_t i = 0; i < calls(); ++i) {
    std::vector<std::uint64_t> right;
    for (const std::uint64_t x : elements_.made(i))
      if (pred(x)) right.push_back(x);
    right_ += checksum(std::span<const std::uint64_t>(right));
  }
}

std::string partitioning::error() const {
  std::uint64_t before = 0, after = 0;
  for (std::size_t i = 0; i < calls(); ++i) {
    std::size_t at = 0;
    for (const std::uint64_t x : elements_.now(i))
      if (pred(x) != (at++ < kept_[i])) return "on the wrong side";
    before += sum_of_hashes(elements_.made(i));
    after += sum_of_hashes(elements_.now(i));
  }
  return before == after ? "" : "not the elements that there were";
}

std::uint64_t partitioning::result() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < calls(); ++i) sum += sum_of_hashes(elements_.now(i).first(kept_[i]));
  return sum;
}

deduplication::deduplication(distribution d, std::size_t n) : selection(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) {
    std::vector<std::uint64_t> right;
    for (const std::uint64_t x : elements_.made(i))
      if (right.empty() || right.back() != x) right.push_back(x);
    right_ += checksum(std::span<const std::uint64_t>(right));
  }
}

}  // namespace nopal_bench
