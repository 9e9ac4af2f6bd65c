// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/search/bounds.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/windows.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A comparison of elements with keys, and of keys with elements, whose results are written to O.
template <class Comp, class I, class Proj, class Key, class KeyProj, class O, class Result>
concept looks_up =
    std::default_initializable<Key> && std::copyable<Key> &&
    tells_of_both<Comp, I, Proj, Key, KeyProj> && tells_of_both<Comp, Key, KeyProj, I, Proj> &&
    std::random_access_iterator<O> && elements_apart<O> && std::indirectly_writable<O, Result>;

/// Looks all keys up. result(sorted, bound, key) is what is written for a key, converted to what it
/// is written to: the program says by that how wide the numbers have to be.
template <bound Which, class Sorted, class Keys, class O, class Result>
O look_up(const Sorted& sorted, const Keys& keys, O out, const Result& result) {
  using written = std::iter_value_t<O>;
  if (keys.size <= 0) return out;
  const auto leaf = [&, to = unwrapped(out)](part p) {
    look_up_block<Which>(sorted, advanced(keys.first, p.from), p.size(),
                         [&](std::ptrdiff_t i, std::ptrdiff_t found, const auto& key) {
                           auto r = result(sorted, found, key);
                           if constexpr (std::integral<written>)
                             *advanced(to, p.from + i) = static_cast<written>(r);
                           else
                             *advanced(to, p.from + i) = r;
                         });
  };
  for_each_in_windows(keys.size, keys.policy.elements, element_cost::unknown, leaf);
  return advanced(out, keys.size);
}

template <bound Which>
struct bounds_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <class I, splittable_by<I> S, class Key, multipass_by<Key> KeyEnd, class O,
            class Comp = std::ranges::less, projects<I> Proj = std::identity,
            projects<Key> KeyProj = std::identity>
    requires looks_up<Comp, I, Proj, Key, KeyProj, O, std::ptrdiff_t>
  O operator()(grain g, I first, S last, Key first_key, KeyEnd last_key, O out, Comp comp = {},
               Proj proj = {}, KeyProj key_proj = {}) const {
    const sorted_elements sorted{unwrapped(first), static_cast<std::ptrdiff_t>(last - first), comp,
                                 proj, key_proj};
    return look_up<Which>(sorted, cut(g, first_key, last_key), out,
                          [](const auto&, std::ptrdiff_t found, const auto&) { return found; });
  }
};

struct binary_searches_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <class I, splittable_by<I> S, class Key, multipass_by<Key> KeyEnd, class O,
            class Comp = std::ranges::less, projects<I> Proj = std::identity,
            projects<Key> KeyProj = std::identity>
    requires looks_up<Comp, I, Proj, Key, KeyProj, O, bool>
  O operator()(grain g, I first, S last, Key first_key, KeyEnd last_key, O out, Comp comp = {},
               Proj proj = {}, KeyProj key_proj = {}) const {
    const sorted_elements sorted{unwrapped(first), static_cast<std::ptrdiff_t>(last - first), comp,
                                 proj, key_proj};
    return look_up<bound::lower>(sorted, cut(g, first_key, last_key), out,
                                 [](const auto& in, std::ptrdiff_t found, const auto& key) {
                                   return found != in.size &&
                                          in.template behind<bound::upper>(found, key);
                                 });
  }
};

}  // namespace algorithm_detail

/// Looks many keys up in a sorted range: lower_bounds(sorted, keys, out, comp = {}, proj = {},
/// key_proj = {}) or lower_bounds(first, last, first_key, last_key, out, comp = {}, proj = {},
/// key_proj = {}), each also with nopal::grain{n} as the first argument, assigns to out[i] what
/// std::ranges::lower_bound finds for the key i: the number of the first element that does not come
/// before the key, or the number of elements.
///
/// The results are numbers of elements, not iterators: they are of use with other arrays of the
/// same length, and may be written to integers of any type that can hold them. Keys need not be
/// sorted. Elements and keys are compared in both orders by comp(proj(element), key_proj(key)) and
/// comp(key_proj(key), proj(element)); comp is std::ranges::less if it is not given.
///
/// A worker looks up several keys at the same time, so that it does not wait for the memory at each
/// step of a lookup. That is also why all keys of a block are compared equally often.
/// \code
/// std::vector<double> limits{0.1, 0.5, 0.9}, values(1000, 0.7);
/// std::vector<std::size_t> bins(values.size());
/// nopal::upper_bounds(limits, values, bins.begin());           // 2, 2, 2, …
/// std::vector<char> known(values.size());
/// nopal::binary_searches(limits, values, known.begin());       // 0, 0, 0, …
/// \endcode
///
/// \param sorted  a range with random access and a known size, sorted by comp and proj, or at least
/// partitioned by each key; the same goes for first and last.
/// \param keys  as the range of for_each; the same goes for first_key and last_key.
/// \param out  a random-access iterator, even if the keys have none. The output may be the keys
/// themselves, but must not overlap them otherwise, nor the sorted range.
/// \param comp, proj, key_proj  called by several workers at once, as const.
/// \returns the end of what was written.
/// \throws whatever the functions or the assignment throw; if several calls throw, the exception of
/// the first in order among those that ran. If the keys are walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: ⌈log₂(n + 1)⌉ comparisons, or one more, for each key. Forks, and for keys that are
/// walked steps and memory, are as with for_each.
/// Source: binary search without branches (Khuong and Morin, Array Layouts for Comparison-Based
/// Searching, ACM JEA 22, 2017), several at a time.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::bounds_function<algorithm_detail::bound::lower>>
    lower_bounds{};

/// upper_bounds(sorted, keys, out, comp = {}, proj = {}, key_proj = {}) assigns to out[i] the
/// number of the first element that comes behind the key i. Everything else is as with
/// lower_bounds.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::bounds_function<algorithm_detail::bound::upper>>
    upper_bounds{};

/// binary_searches(sorted, keys, out, comp = {}, proj = {}, key_proj = {}) assigns to out[i]
/// whether an element is equivalent to the key i, as a bool. Everything else is as with
/// lower_bounds.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::binary_searches_function>
    binary_searches{};

}  // namespace parallel
}  // namespace nopal
