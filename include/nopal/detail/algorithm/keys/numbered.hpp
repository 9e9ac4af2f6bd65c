// SPDX-License-Identifier: Apache-2.0
// Some algorithms ask for elements by their numbers, in any order.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The elements of a range that can be halved.
template <class I>
class numbered_elements {
 public:
  numbered_elements(I first, std::ptrdiff_t n) : first_(std::move(first)), size_(n) {}
  [[nodiscard]] std::ptrdiff_t size() const noexcept { return size_; }
  decltype(auto) operator[](std::ptrdiff_t i) const { return *advanced(first_, i); }

 private:
  I first_;
  std::ptrdiff_t size_;
};

/// The elements of any other range, which is walked once.
template <class I>
class walked_numbers {
 public:
  template <class S>
  walked_numbers(I first, const S& last) {
    for (; !(first == last); ++first) at_.push_back(first);
  }
  [[nodiscard]] std::ptrdiff_t size() const noexcept {
    return static_cast<std::ptrdiff_t>(at_.size());
  }
  decltype(auto) operator[](std::ptrdiff_t i) const { return *at_[static_cast<std::size_t>(i)]; }
  /// Iterators to the elements.
  [[nodiscard]] const I* data() const noexcept { return at_.data(); }

 private:
  std::vector<I> at_;
};

/// The elements of a walked range, seen from elsewhere.
template <class I>
struct seen_elements {
  const I* at;

  decltype(auto) operator[](std::ptrdiff_t i) const { return *at[i]; }
};

/// These return something that is cheap to copy, for functions that keep it in registers.
template <class I>
numbered_elements<I> seen(const numbered_elements<I>& all) {
  return all;
}
template <class I>
seen_elements<I> seen(const walked_numbers<I>& all) {
  return {all.data()};
}

template <class I, class S>
auto numbered(I first, const S& last) {
  if constexpr (splittable_by<S, I>) {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    return numbered_elements(unwrapped(first), n);
  } else {
    return walked_numbers<I>(std::move(first), last);
  }
}

/// Returns what a projection makes of the element i. It is a value if it would otherwise refer to
/// an element that exists no longer, such as that of a std::views::iota.
template <class Elements, class Proj>
auto projected(const Elements& elements, std::ptrdiff_t i, const Proj& proj)
    -> std::conditional_t<std::is_lvalue_reference_v<decltype(std::invoke(proj, elements[i]))>,
                          decltype(std::invoke(proj, elements[i])),
                          std::remove_cvref_t<decltype(std::invoke(proj, elements[i]))>> {
  return std::invoke(proj, elements[i]);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
