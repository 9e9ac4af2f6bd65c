// SPDX-License-Identifier: Apache-2.0
#include "algorithm/keyed.hpp"

#include <unordered_map>

namespace nopal_bench {
namespace {

using map = std::unordered_map<std::uint64_t, std::uint64_t>;

}  // namespace

histogramming::histogramming(distribution d, std::size_t n) : keyed(d, n) {}

std::string histogramming::error() const {
  for (std::size_t i = 0; i < calls(); ++i) {
    std::vector<std::size_t> right(buckets);
    for (const std::uint64_t x : elements_.made(i)) ++right[bucket_of()(x)];
    if (found_[i] != right) return "a count is wrong";
  }
  return {};
}

std::uint64_t histogramming::result() const {
  std::uint64_t sum = 0;
  for (const auto& counts : found_)
    for (std::size_t b = 0; b < counts.size(); ++b) sum += mixed(b) * counts[b];
  return sum;
}

sums_by_key::sums_by_key(distribution d, std::size_t n) : keyed(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) {
    map sums;
    for (const auto& [key, value] : elements_.made(i)) sums[key] += value;
    for (const key_value x : sums) right_ += hash_of(x);
  }
}

std::string sums_by_key::error() const { return result() == right_ ? "" : "a sum is wrong"; }

std::uint64_t sums_by_key::result() const {
  std::uint64_t sum = 0;
  for (const auto& sums : found_) sum += sum_of_hashes(std::span<const key_value>(sums));
  return sum;
}

grouping::grouping(distribution d, std::size_t n) : keyed(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) {
    map sums;
    for (const auto& [key, value] : elements_.made(i)) sums[key] += mixed(value);
    for (const auto& [key, sum] : sums) right_ += mixed(mixed(key) + sum);
  }
}

std::string grouping::error() const { return result() == right_ ? "" : "a group has other values"; }

std::uint64_t grouping::result() const {
  std::uint64_t sum = 0;
  for (const auto& groups : found_)
    for (const auto& [key, values] : groups)
      sum += mixed(mixed(key) + sum_of_hashes(std::span<const std::uint64_t>(values)));
  return sum;
}

}  // namespace nopal_bench
