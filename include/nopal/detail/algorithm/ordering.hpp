// SPDX-License-Identifier: Apache-2.0
// The order of elements by a comparator and projections, as the engines of sorting use it.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether an element of one range comes before one of another, or of the same. Referring to the
/// comparator and the projections, it is as cheap to copy as a pointer.
template <class Comp, class Proj1, class Proj2 = Proj1>
class ordering {
 public:
  ordering(const Comp& comp, const Proj1& proj1, const Proj2& proj2) noexcept
      : comp_(comp), proj1_(proj1), proj2_(proj2) {}
  ordering(const Comp& comp, const Proj1& proj) noexcept
    requires std::same_as<Proj1, Proj2>
      : ordering(comp, proj, proj) {}

  template <class X, class Y>
  bool operator()(X&& x, Y&& y) const {
    return static_cast<bool>(std::invoke(comp_, std::invoke(proj1_, static_cast<X&&>(x)),
                                         std::invoke(proj2_, static_cast<Y&&>(y))));
  }

 private:
  const Comp& comp_;
  const Proj1& proj1_;
  const Proj2& proj2_;
};

/// Whether elements can be sorted by several workers, which compare them by one comparator, as
/// const, and move them.
template <class I, class Comp, class Proj>
concept sortable_by =
    elements_apart<I> && projects<Proj, I> && std::sortable<I, const Comp&, const Proj&>;

/// Whether two ranges can be merged into what O writes to.
template <class I1, class I2, class O, class Comp, class Proj1, class Proj2>
concept mergeable_by = elements_apart<O> && projects<Proj1, I1> && projects<Proj2, I2> &&
                       std::mergeable<I1, I2, O, const Comp&, const Proj1&, const Proj2&>;

/// Whether the elements of two ranges can be compared.
template <class I1, class I2, class Comp, class Proj1, class Proj2>
concept ordered_by = projects<Proj1, I1> && projects<Proj2, I2> &&
                     std::indirect_strict_weak_order<const Comp&, std::projected<I1, const Proj1&>,
                                                     std::projected<I2, const Proj2&>>;

/// Whether a comparison of two elements is a few instructions, so that a branch which depends on it
/// costs more than the comparison. Nothing is known of a function; that an element is a small plain
/// value hints at a short one.
template <class T>
inline constexpr bool cheap_to_move = plain_value<T> && sizeof(T) <= 16;

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
