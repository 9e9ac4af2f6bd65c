// SPDX-License-Identifier: Apache-2.0
// Sorts, and what is right of them: in order, and the same elements as before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "algorithm/data.hpp"
#include "algorithm/input.hpp"

namespace nopal_bench {

/// The integer by which integer_sort sorts.
struct integer_key {
  template <class T>
  auto operator()(const T& x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else if constexpr (std::is_same_v<T, key_value>) {
      return x.first;
    } else {
      return x.key;
    }
  }
};

/// The base of all: elements that are sorted in place. Less says what must not come first.
template <class T, class Less>
class sort_case {
 public:
  sort_case(distribution d, std::size_t n);

  [[nodiscard]] std::size_t calls() const { return elements_.calls(); }
  void prepare() { elements_.prepare(); }
  [[nodiscard]] std::string error() const;
  [[nodiscard]] std::uint64_t result() const;

 protected:
  input<T> elements_;

 private:
  std::uint64_t before_ = 0;
};

struct by_value {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

/// By their keys; of those that are equal the one that was made first comes first.
struct by_place {
  bool operator()(const record& a, const record& b) const {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  }
};

/// By an integer that is a part of a pair, of which nothing tells its place.
struct by_integer {
  bool operator()(const key_value& a, const key_value& b) const { return a.first < b.first; }
};

template <class T>
using if_stable = std::conditional_t<std::is_same_v<T, record>, by_place, by_value>;
template <class T>
using if_by_integer = std::conditional_t<std::is_same_v<T, key_value>, by_integer, if_stable<T>>;

template <class T>
struct sorting : sort_case<T, by_value> {
  static constexpr std::string_view name = "sort";
  using sort_case<T, by_value>::sort_case;
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.sort(std::span<T>())) {
    f.sort(this->elements_.now(i));
  }
};

template <class T>
struct stable_sorting : sort_case<T, if_stable<T>> {
  static constexpr std::string_view name = "stable_sort";
  using sort_case<T, if_stable<T>>::sort_case;
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.stable_sort(std::span<T>())) {
    f.stable_sort(this->elements_.now(i));
  }
};

template <class T>
struct integer_sorting : sort_case<T, if_by_integer<T>> {
  static constexpr std::string_view name = "integer_sort";
  using sort_case<T, if_by_integer<T>>::sort_case;
  template <class Family>
  auto call(Family& f, std::size_t i) -> decltype(f.integer_sort(std::span<T>(), integer_key())) {
    f.integer_sort(this->elements_.now(i), integer_key());
  }
};

}  // namespace nopal_bench
