// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/search/first_match.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/relations.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct mismatch_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  using function = std::ranges::equal_to;

  template <class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires one_has_an_end<S1, S2> && tells_of_both<Pred, I1, Proj1, I2, Proj2>
  std::ranges::mismatch_result<I1, I2> operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2,
                                                  Pred pred = {}, Proj1 proj1 = {},
                                                  Proj2 proj2 = {}) const {
    decltype(auto) to_its_end =
        to_end<projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>(pred);
    decltype(auto) projection1 = projection_to_end<I1>(proj1);
    decltype(auto) projection2 = projection_to_end<I2>(proj2);
    auto at = first_where_both(
        g.elements, std::move(first1), std::move(last1), std::move(first2), std::move(last2),
        relation_of<false, false, I1, I2>(to_its_end, projection1, projection2));
    return {std::move(at.first), std::move(at.second)};
  }
};

struct equal_function : mismatch_function {
  template <class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires one_has_an_end<S1, S2> && tells_of_both<Pred, I1, Proj1, I2, Proj2>
  bool operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Pred pred = {},
                  Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    if constexpr (std::sized_sentinel_for<S1, I1> && std::sized_sentinel_for<S2, I2>)
      if (std::cmp_not_equal(last1 - first1, last2 - first2)) return false;
    const auto at = mismatch_function::operator()(g, first1, last1, first2, last2, std::move(pred),
                                                  std::move(proj1), std::move(proj2));
    return at.in1 == last1 && at.in2 == last2;
  }
};

struct starts_with_function : mismatch_function {
  template <class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires one_has_an_end<S1, S2> && tells_of_both<Pred, I1, Proj1, I2, Proj2>
  bool operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Pred pred = {},
                  Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    if constexpr (std::sized_sentinel_for<S1, I1> && std::sized_sentinel_for<S2, I2>)
      if (std::cmp_less(last1 - first1, last2 - first2)) return false;
    const auto at = mismatch_function::operator()(g, first1, last1, first2, last2, std::move(pred),
                                                  std::move(proj1), std::move(proj2));
    return at.in2 == last2;
  }
};

struct lexicographical_compare_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  using function = std::ranges::less;

  template <class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2,
            class Comp = std::ranges::less, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires one_has_an_end<S1, S2> && tells_of_both<Comp, I1, Proj1, I2, Proj2> &&
             tells_of_both<Comp, I2, Proj2, I1, Proj1>
  bool operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Comp comp = {},
                  Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const auto less = relation_of<true, false, I1, I2>(comp, proj1, proj2);
    const auto greater = relation_of<true, true, I1, I2>(comp, proj1, proj2);
    const auto at =
        first_where_both(g.elements, first1, last1, first2, last2, either_of(less, greater));
    if (at.second == last2) return false;
    return at.first == last1 || less(at);
  }

 private:
  template <class A, class B>
  struct either {
    const A& a;
    const B& b;

    template <class I>
    bool operator()(const I& at) const {
      return a(at) || b(at);
    }
  };
  template <class A, class B>
    requires test_of_numbers<A>
  struct either<A, B> {
    using mask = typename A::mask;

    template <class I>
    bool operator()(const I& at) const {
      return static_cast<bool>(static_cast<int>(A()(at)) | static_cast<int>(B()(at)));
    }
  };
  template <class A, class B>
  static either<A, B> either_of(const A& a, const B& b) {
    if constexpr (test_of_numbers<A>)
      return {};
    else
      return {a, b};
  }
};

}  // namespace algorithm_detail

/// Returns the first place where two ranges differ: mismatch(range1, range2, pred = {}, proj1 = {},
/// proj2 = {}) or mismatch(first1, last1, first2, last2, pred = {}, proj1 = {}, proj2 = {}), each
/// also with nopal::grain{n} as the first argument, looks for the first place where
/// pred(proj1(element1), proj2(element2)) is false. pred is std::ranges::equal_to if it is not
/// given.
///
/// The search ends early, as that of find_if does. Numbers of one type that lie in rows are
/// compared by the vector if pred is a comparison of the standard. If one of the ranges must be
/// walked, both are, side by side, window by window. One may have no end.
/// \code
/// std::vector<int> a(1000, 2), b(1000, 2);
/// b[700] = 3;
/// auto [in_a, in_b] = nopal::mismatch(a, b);
/// bool same = nopal::equal(a, b);
/// bool before = nopal::lexicographical_compare(a, b);
/// \endcode
///
/// \param range1, range2  as with map; the same goes for first1, last1, first2 and last2.
/// \param pred, proj1, proj2  called by several workers at once, as const. Tasks are as with
/// for_each.
/// \returns iterators to both elements, as a std::ranges::mismatch_result; if the ranges do not
/// differ, one of the iterators, or both, are at the end.
/// \throws as find_if.
/// Thread-safety: as with find_if.
/// Complexity: as with find_if, for the first place where they differ.
/// Source: as find_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::mismatch_function>
    mismatch{};

/// equal(range1, range2, pred = {}, proj1 = {}, proj2 = {}) says whether two ranges are of one
/// length and pred is true in each place. If both sizes are known and differ, nothing is compared.
/// Everything else is as with mismatch.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::equal_function>
    equal{};

/// starts_with(range1, range2, pred = {}, proj1 = {}, proj2 = {}) says whether the first elements
/// of range1 are those of range2, all of them. Everything else is as with mismatch.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::starts_with_function>
    starts_with{};

/// lexicographical_compare(range1, range2, comp = {}, proj1 = {}, proj2 = {}) says whether range1
/// comes before range2 in a dictionary: whether comp is true of the first two elements that differ,
/// or range1 is shorter and none differ. comp, which is std::ranges::less if it is not given, may
/// be called for both orders of two elements, and for the elements that differ once more.
/// Everything else is as with mismatch.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::lexicographical_compare_function>
    lexicographical_compare{};

}  // namespace parallel
}  // namespace nopal
