// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct for_each_function {
  static constexpr auto kind = algorithm_kind::for_each;

  template <class I, multipass_by<I> S, class F, projects<I> Proj = std::identity>
    requires elements_apart<I> && shared_callable<F, projected_reference<I, Proj>>
  void operator()(grain g, I first, S last, F f, Proj proj = {}) const {
    run(cut(g, first, last), each_to_end<I, Proj>(f), projection_to_end<I>(proj));
  }
  template <whole_range R, class F>
    requires(whole_loops<R>::template takes<F>)
  void operator()(grain g, const R& range, F f) const {
    whole_loops<R>::for_each(g, range, f);
  }

 private:
  template <class Elements, class F, class Proj>
  static void run(const Elements& all, const F& f, const Proj& proj) {
    if (all.size <= 0) return;
    for_each_block({0, all.size}, all.policy.elements, [first = all.first, &f, &proj](part p) {
      auto at = advanced(first, p.from);
      for (std::ptrdiff_t left = p.size(); left != 0; step_on(at, --left))
        std::invoke(f, std::invoke(proj, *at));
    });
  }
};

}  // namespace algorithm_detail

/// Calls f(proj(element)) for all elements of a range, perhaps at the same time:
/// for_each(range, f, proj = {}) or for_each(first, last, f, proj = {}), each also with
/// nopal::grain{n} as the first argument or nopal::loop_options as the last. With two integers,
/// for_each(first, last, f) calls f(i) for each i from first up to, but not including, last; the
/// other algorithms that only read take two integers as well. On one worker the elements come in
/// order.
///
/// A worker runs blocks of elements, each as a plain loop. By itself a block takes about five
/// microseconds; with nopal::grain{n} it has n elements. While a block runs, all that follows it
/// can be stolen. Give nopal::grain{1} if elements wait for each other.
///
/// A range without random access, or whose size is not known in constant time (a list, a filter
/// view), is walked first: by one strand, once, to its end. Then only f and proj run in parallel,
/// which pays if they take longer than a step to the next element. If no grain is given, it is then
/// the least power of two that makes at most 512 blocks, but no more than 2048. The iterators are
/// used again when the elements are visited, so whatever they call, such as the predicate of a
/// filter, is called about twice for each element, and by several workers at once.
/// \code
/// std::vector<double> v(1000, 2.0);
/// nopal::for_each(v, [](double& x) { x = 1 / x; });
/// nopal::for_each(nopal::grain{100}, v.begin(), v.end(), [](double& x) { x += 1; });
/// nopal::for_each(0, 1000, [&](int i) { v[static_cast<std::size_t>(i)] = i; });
/// nopal::for_each(v, [](double& x) { x *= 2; }, {.grain = 100});
/// \endcode
///
/// \param range  can be read more than once, as std::ranges::forward_range says, and has an end;
/// the same goes for first and last.
/// \param f, proj  called by several workers at once, as const; what f returns is dropped. If one
/// of them returns a nopal::task, that is run to its end.
/// \throws whatever f or proj throws; if several calls throw, the exception of the first in order
/// among those that ran. Elements after it may or may not have been visited. If the range is
/// walked, also std::bad_alloc and whatever the iterators throw; nopal::stopped if a stop comes;
/// std::invalid_argument if of two integers the first is negative and the last unsigned.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n calls; a push and a pop for each block, and O(log n) forks nested in each other,
/// on one worker and for each steal; no allocation. For a range that is walked, n steps in a row as
/// well, and memory for an iterator to each block.
/// Source: lazy binary splitting (Tzannes, Caragea, Barua and Vishkin, PPoPP 2010);
/// docs/algorithm.md has what is different here.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::for_each_function>
    for_each{};

}  // namespace parallel
}  // namespace nopal
