// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/both.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

namespace algorithm_detail {

struct map_function {
  static constexpr auto kind = algorithm_kind::map;

  template <class I, multipass_by<I> S, class O, class F, projects<I> Proj = std::identity>
    requires maps<F, O, projected_reference<I, Proj>>
  O operator()(grain g, I first, S last, O out, F f, Proj proj = {}) const {
    return run(cut(g, first, last), out, each_to_end<I, Proj>(f), projection_to_end<I>(proj));
  }
  template <class I1, multipass_beside_by<I1> S1, class I2, multipass_beside_by<I2> S2, class O,
            class F, projects<I1> Proj1 = std::identity, projects<I2> Proj2 = std::identity>
    requires one_has_an_end<S1, S2> &&
             maps<F, O, projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>
  O operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, O out, F f, Proj1 proj1 = {},
               Proj2 proj2 = {}) const {
    return run_both(cut_both(g, first1, last1, first2, last2), out,
                    to_end<projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>(f),
                    projection_to_end<I1>(proj1), projection_to_end<I2>(proj2));
  }

 private:
  template <class Elements, class O, class F, class Proj>
  static O run(const Elements& all, O out, const F& f, const Proj& proj) {
    if (all.size <= 0) return out;
    const auto leaf = [from = all.first, to = unwrapped(out), &f, &proj](part p) {
      auto in = advanced(from, p.from);
      auto at = advanced(to, p.from);
      for (std::ptrdiff_t left = p.size(); left != 0; step_on(in, --left), ++at)
        *at = std::invoke(f, std::invoke(proj, *in));
    };
    for_each_block({0, all.size}, all.policy.elements, leaf);
    return advanced(out, all.size);
  }
  template <class Elements, class O, class F, class Proj1, class Proj2>
  static O run_both(const Elements& all, O out, const F& f, const Proj1& proj1,
                    const Proj2& proj2) {
    const auto f_of_both = [&](const auto& i) -> decltype(auto) {
      return std::invoke(f, std::invoke(proj1, *i.first), std::invoke(proj2, *i.second));
    };
    return run(all, out, f_of_both, std::identity());
  }
};

}  // namespace algorithm_detail

/// Assigns f(proj(element)) for each element to its place in the range that begins at out:
/// map(range, out, f, proj = {}) or map(first, last, out, f, proj = {}), each also with
/// nopal::grain{n} as the first argument or nopal::loop_options as the last.
///
/// map(range1, range2, out, f, proj1 = {}, proj2 = {}) or map(first1, last1, first2, last2, out, f,
/// proj1 = {}, proj2 = {}) takes two ranges. It assigns f(proj1(element1), proj2(element2)) for
/// each element of the shorter range and the element of the other in the same place. If one of them
/// must be walked, both are, side by side. One may have no end, such as std::views::iota(0).
/// \code
/// std::vector<int> v(1000, 3), squares(v.size()), products(v.size());
/// nopal::map(v, squares.begin(), [](int x) { return x * x; });
/// nopal::map(v, std::views::iota(0), products.begin(), [](int x, int i) { return x * i; });
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param out  a random-access iterator, even if the range has none. The output may be one of the
/// ranges itself, but must not overlap one otherwise.
/// \param f, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \returns the end of what was written.
/// \throws whatever f, proj or the assignment throws; if several calls throw, the exception of the
/// first in order among those that ran. If the range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls. Forks, and for a range that is walked steps and memory, are as with
/// for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::map_function> map{};

}  // namespace parallel
}  // namespace nopal
