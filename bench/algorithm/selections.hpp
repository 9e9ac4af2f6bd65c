// SPDX-License-Identifier: Apache-2.0
// Algorithms that keep some elements of a range, beside a serial loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/data.hpp"
#include "algorithm/input.hpp"

namespace nopal_bench {

/// The predicate of filters.
struct below {
  std::uint64_t limit;
  bool operator()(std::uint64_t x) const { return x < limit; }
};

/// The limit below which one of so many random numbers lies.
constexpr std::uint64_t one_in(std::uint64_t many) { return ~std::uint64_t{0} / many; }

/// Integers of which each call keeps some, at the beginning of those that it has.
class selection {
 public:
  selection(distribution d, std::size_t n);

  [[nodiscard]] std::size_t calls() const { return elements_.calls(); }
  void prepare() { elements_.prepare(); }
  [[nodiscard]] std::string error() const { return result() == right_ ? "" : "others are kept"; }
  [[nodiscard]] std::uint64_t result() const;

 protected:
  input<std::uint64_t> elements_;
  std::vector<std::size_t> kept_;
  std::uint64_t right_ = 0;
};

/// copy_if of what a predicate keeps.
class copying : public selection {
 public:
  copying(distribution d, std::size_t n, below pred);

  template <class Family>
  auto call(Family& f, std::size_t i)
      -> decltype(f.copy_if(elements_.made(0), elements_.now(0), below{}), void()) {
    kept_[i] = f.copy_if(elements_.made(i), elements_.now(i), pred_);
  }

 private:
  below pred_;
};

/// Many: of how many elements one is kept.
template <std::uint64_t Many>
struct filtering : copying {
  static constexpr std::string_view name = Many == 2 ? "copy_if_half" : "copy_if_few";
  filtering(distribution d, std::size_t n) : copying(d, n, below{one_in(Many)}) {}
};

/// partition by halves, in any order.
class partitioning : public selection {
 public:
  static constexpr std::string_view name = "partition";
  using selection::selection;

  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.partition(elements_.now(0), below{}), void()) {
    kept_[i] = f.partition(elements_.now(i), pred);
  }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 private:
  static constexpr below pred{one_in(2)};
};

/// unique in place.
class deduplication : public selection {
 public:
  static constexpr std::string_view name = "unique";

  deduplication(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.unique(elements_.now(0)), void()) {
    kept_[i] = f.unique(elements_.now(i));
  }
};

}  // namespace nopal_bench
