// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/scan_parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// An operation that scans elements of I, with a T as the first operand of all, to what can be
/// assigned through O.
template <class Op, class T, class I, class O, class Proj>
concept scans =
    folds<Op, T, I, Proj> && std::copyable<algorithm_detail::folded_type<T, I, Op, Proj>> &&
    std::random_access_iterator<O> && elements_apart<O> &&
    std::indirectly_writable<O, const algorithm_detail::folded_type<T, I, Op, Proj>&>;

/// The same from an initial value, which can be assigned through O as well. That keeps apart
/// scan(range, out, init, op), scan(range, out, op, proj) and scan(first, last, out, op), before op
/// is tried with arguments that are none of its own.
template <class Op, class T, class I, class O, class Proj>
concept scans_from = std::indirectly_writable<O, const T&> && scans<Op, T, I, O, Proj>;

namespace algorithm_detail {

/// What a part of a scan hands on. A second operation for each element costs no time if the results
/// are numbers. Otherwise it may be dear, and is done only if the same bracketing each time is
/// asked for.
template <class U, class P>
inline constexpr scan_result scan_result_of =
    std::is_arithmetic_v<U> || std::same_as<P, deterministic_order> ? scan_result::fold
                                                                    : scan_result::carry;

template <scan_kind Kind, class U, class P, class I, class O, class Op, class Proj>
void scan_onto(P policy, I first, std::ptrdiff_t n, O out, U carry, const Op& op,
               const Proj& proj) {
  const std::ptrdiff_t grain = chosen_grain(policy.elements, n, limits_of_fold<U, I, Op, Proj>);
  scanner<Kind, scan_result_of<U, P>, U, I, O, Op, Proj>(first, out, grain, op, proj)
      .run(n, std::move(carry));
}

// This function is not inlined, because of what it throws: see held_exception.hpp.
template <scan_kind Kind, class P, class I, class S, class O, class T, class Op, class Proj>
NOPAL_NOINLINE O scan_from(P policy, I first, S last, O out, T init, const Op& op,
                           const Proj& proj) {
  using result = folded_type<T, I, Op, Proj>;
  const auto all = cut(policy, std::move(first), last);
  if (all.size <= 0) return out;
  scan_onto<Kind, result>(all.policy, all.first, all.size, unwrapped(out),
                          static_cast<result>(std::move(init)), operation_to_end<T, I, Proj>(op),
                          projection_to_end<I>(proj));
  return advanced(out, all.size);
}

struct scan_function {
  static constexpr auto kind = algorithm_kind::scan;

  template <class P, class I, multipass_by<I> S, class O, class Op,
            projects<I> Proj = std::identity>
    requires scans<Op, typename element_value<I, Proj>::type, I, O, Proj>
  O operator()(P policy, I first, S last, O out, Op op, Proj proj = {}) const {
    return run(policy, first, last, out, op, proj);
  }
  template <class P, class I, multipass_by<I> S, class O, class T, class Op,
            projects<I> Proj = std::identity>
    requires scans_from<Op, T, I, O, Proj>
  O operator()(P policy, I first, S last, O out, T init, Op op, Proj proj = {}) const {
    return scan_from<scan_kind::inclusive>(policy, first, last, out, std::move(init), op, proj);
  }

 private:
  template <class P, class I, class S, class O, class Op, class Proj>
  NOPAL_NOINLINE static O run(P policy, I first, S last, O out, const Op& op, const Proj& proj) {
    using T = typename element_value<I, Proj>::type;
    using result = folded_type<T, I, Op, Proj>;
    if (first == last) return out;
    const auto rest = cut(policy, std::ranges::next(first), last);
    result carry(std::invoke(projection_to_end<I>(proj), *first));
    *out = std::as_const(carry);
    if (rest.size > 0)
      scan_onto<scan_kind::inclusive, result>(
          rest.policy, rest.first, rest.size, unwrapped(advanced(out, 1)), std::move(carry),
          operation_to_end<T, I, Proj>(op), projection_to_end<I>(proj));
    return advanced(out, rest.size + 1);
  }
};

struct exclusive_scan_function {
  static constexpr auto kind = algorithm_kind::exclusive_scan;

  template <class P, class I, multipass_by<I> S, class O, class T, class Op,
            projects<I> Proj = std::identity>
    requires scans<Op, T, I, O, Proj>
  O operator()(P policy, I first, S last, O out, T init, Op op, Proj proj = {}) const {
    return scan_from<scan_kind::exclusive>(policy, first, last, out, std::move(init), op, proj);
  }
};

}  // namespace algorithm_detail

/// Combines each element with all before it: scan(range, out, op, proj = {}) or scan(first, last,
/// out, op, proj = {}), each also with nopal::grain{n} or nopal::deterministic as the first
/// argument or nopal::loop_options as the last, assigns out[i] = x0 op x1 op … op xi. The x are the
/// projected elements, in this order, with brackets anywhere. With init before op it assigns out[i]
/// = init op x0 op … op xi.
///
/// A scan is one pass if nobody steals. Stolen parts are read twice, so op and proj may be called
/// more than once for an element. For numbers, and for anything with nopal::deterministic, the
/// brackets depend on n, on the types and on the grain alone; otherwise also on what was stolen.
/// \code
/// std::vector<int> v(1000, 1), sums(v.size()), before(v.size());
/// nopal::scan(v, sums.begin(), std::plus{});                     // 1, 2, 3, …
/// nopal::exclusive_scan(v, before.begin(), 0, std::plus{});      // 0, 1, 2, …
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param out  a random-access iterator, even if the range has none, since blocks are written
/// before those that precede them. The output may be the range itself, but must not overlap it
/// otherwise.
/// \param init  the left operand of everything; it need not be an identity of op. Its type, or what
/// op makes of it and an element, is the type of all partial results.
/// \param op, proj  called by several workers at once, as const. op is associative; it need not be
/// commutative. It combines partial results with elements and with each other.
/// Tasks are as with for_each.
/// \returns the end of what was written.
/// \throws whatever op, proj or an assignment throws; if several calls throw, the exception of the
/// first in order among those that ran; std::bad_alloc; and whatever the iterators throw if the
/// range is walked.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n to 3n operations, span O(grain + log n) for each million elements. Memory is taken
/// only if a part is stolen: one partial result for each of its blocks. Blocks are as with fold.
/// Steps and memory for a range that is walked are as with for_each.
/// Source: Blelloch 1990, section 1.3 (two sweeps over a tree), without the first one if
/// continuation stealing shows that the prefix is known.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::scan_function>
    scan{};

/// exclusive_scan takes the arguments of scan with init: exclusive_scan(range, out, init, op, proj
/// = {}) assigns out[i] = init op x0 op … op x(i-1), and out[0] = init. Everything else is as with
/// scan.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::exclusive_scan_function>
    exclusive_scan{};

}  // namespace parallel
}  // namespace nopal
