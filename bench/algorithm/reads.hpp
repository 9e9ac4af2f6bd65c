// SPDX-License-Identifier: Apache-2.0
// Algorithms that only read a range: searches, and reductions to a number or to running sums.
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

/// The predicate of searches.
struct equal_to {
  std::uint64_t value;
  bool operator()(std::uint64_t x) const { return x == value; }
};

/// A case whose calls each have a number as result, and what that must be.
template <class T>
class reading {
 public:
  reading(distribution d, std::size_t n);

  [[nodiscard]] std::size_t calls() const { return elements_.calls(); }
  void prepare();
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 protected:
  input<T> elements_;
  std::vector<std::uint64_t> found_, right_;
};

/// find_if of an element that is in a place, or nowhere if that is behind all.
class searching : public reading<std::uint64_t> {
 public:
  searching(distribution d, std::size_t n, std::size_t place);

  template <class Family>
  auto call(Family& f, std::size_t i)
      -> decltype(f.find_if(elements_.made(0), equal_to{}), void()) {
    found_[i] = f.find_if(std::as_const(elements_).now(i), pred);
  }

 private:
  static constexpr equal_to pred{~std::uint64_t{0} - 1};  // none of the others
};

/// Percent: of the elements that are before it.
template <std::size_t Percent>
struct finding : searching {
  static constexpr std::string_view name =
      Percent == 1 ? "find_if_early" : (Percent == 50 ? "find_if_half" : "find_if_never");
  finding(distribution d, std::size_t n) : searching(d, n, Percent * n / 100) {}
};

/// min_element.
class minimum : public reading<std::uint64_t> {
 public:
  static constexpr std::string_view name = "min_element";

  minimum(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.min_element(elements_.made(0)), void()) {
    found_[i] = f.min_element(elements_.made(i));
  }
};

struct square {
  double operator()(double x) const { return x * x; }
};

/// transform_reduce of small whole numbers, whose sum of squares is exact in any order.
class sum_of_squares : public reading<double> {
 public:
  static constexpr std::string_view name = "transform_reduce";

  sum_of_squares(distribution d, std::size_t n);
  template <class Family>
  auto call(Family& f, std::size_t i)
      -> decltype(f.transform_reduce(elements_.made(0), square()), void()) {
    const double sum = f.transform_reduce(std::as_const(elements_).now(i), square());
    found_[i] = static_cast<std::uint64_t>(sum);
  }
};

/// inclusive_scan of integers to another array.
class running_sums {
 public:
  static constexpr std::string_view name = "inclusive_scan";

  running_sums(distribution d, std::size_t n) : elements_(d, n) {}
  [[nodiscard]] std::size_t calls() const { return elements_.calls(); }
  void prepare() { elements_.prepare(); }
  template <class Family>
  auto call(Family& f, std::size_t i)
      -> decltype(f.inclusive_scan(std::span<const std::uint64_t>(), std::span<std::uint64_t>())) {
    f.inclusive_scan(elements_.made(i), elements_.now(i));
  }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 private:
  input<std::uint64_t> elements_;
};

}  // namespace nopal_bench
