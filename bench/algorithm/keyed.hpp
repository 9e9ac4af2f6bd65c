// SPDX-License-Identifier: Apache-2.0
// Algorithms that bring together what has the same key: in any order of the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm/data.hpp"
#include "algorithm/input.hpp"

namespace nopal_bench {

inline constexpr std::size_t buckets = 1024;

/// The bucket of a histogram in which a number is counted.
struct bucket_of {
  std::size_t operator()(std::uint64_t x) const { return x % buckets; }
};

/// A case whose calls each return something with keys. It is kept until the clock stands still.
template <class T, class Result>
class keyed {
 public:
  keyed(distribution d, std::size_t n) : elements_(d, n), found_(calls()) {}

  [[nodiscard]] std::size_t calls() const { return elements_.calls(); }
  void prepare() { found_ = std::vector<Result>(calls()); }

 protected:
  input<T> elements_;
  std::vector<Result> found_;
};

/// How many numbers there are in each bucket.
class histogramming : public keyed<std::uint64_t, std::vector<std::size_t>> {
 public:
  static constexpr std::string_view name = "histogram";

  histogramming(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i)
      -> decltype(f.histogram(elements_.made(0), buckets, bucket_of()), void()) {
    found_[i] = f.histogram(elements_.made(i), buckets, bucket_of());
  }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;
};

/// The sum of the values of each key.
class sums_by_key : public keyed<key_value, std::vector<key_value>> {
 public:
  static constexpr std::string_view name = "reduce_by_key";

  sums_by_key(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.reduce_by_key(elements_.made(0)), void()) {
    found_[i] = f.reduce_by_key(elements_.made(i));
  }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 private:
  std::uint64_t right_ = 0;
};

using group = std::pair<std::uint64_t, std::vector<std::uint64_t>>;

/// The values of each key, in any order.
class grouping : public keyed<key_value, std::vector<group>> {
 public:
  static constexpr std::string_view name = "group_by";

  grouping(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.group_by(elements_.made(0)), void()) {
    found_[i] = f.group_by(elements_.made(i));
  }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 private:
  std::uint64_t right_ = 0;
};

}  // namespace nopal_bench
