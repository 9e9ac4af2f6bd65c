// SPDX-License-Identifier: Apache-2.0
// One strand does an operation on two sorted ranges as sets.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_run.hpp"
#include "nopal/detail/algorithm/merge/set_cut.hpp"
#include "nopal/detail/algorithm/ordering.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Which elements an operation writes: those of the first range that have no equal in the second,
/// those of the second that have none in the first, and of two equal ones that of the first.
struct set_kept {
  bool first;
  bool second;
  bool both;
};

/// A place that counts what is written to it.
class counted_output {
 public:
  [[nodiscard]] std::ptrdiff_t count() const noexcept { return count_; }
  counted_output& operator++() noexcept {
    ++count_;
    return *this;
  }

 private:
  std::ptrdiff_t count_ = 0;
};

template <class I>
void put_kept(const I&, const counted_output&) {}
template <class I, class O>
void put_kept(const I& from, const O& to) {
  *to = *from;
}

/// Writes what is left of a range whose other range has ended.
template <class I, class O>
void put_tail(I first, I last, O& out) {
  for (; first != last; ++first, ++out) put_kept(first, out);
}

/// Whether an operation advances without branches that depend on elements. A difference does not:
/// whether it writes depends on the comparison that a branch would depend on.
template <set_kept Kept, class I1, class I2>
inline constexpr bool steps_without_branch =
    chosen_without_branch<I1, I2> && (Kept.second || Kept.both);

/// Makes a step without branches that depend on elements. If each step writes one, as that of a
/// union does, the step has none at all; otherwise it has one around what it writes, since behind
/// the result there need be no place.
template <set_kept Kept, class T, class U, class O>
NOPAL_INLINE_STEP inline void set_step(T*& a, U*& b, O& out, bool first, bool second) {
  const bool write =
      (Kept.first && first) | (Kept.second && second) | (Kept.both && !(first | second));
  if ((Kept.first && Kept.second && Kept.both) || write) {
    put_kept(Kept.second && second ? static_cast<const T*>(b) : static_cast<const T*>(a), out);
    ++out;
  }
  a += !second;
  b += !first;
}

/// Does an operation on what lies between two cuts. Returns the end of what has been written.
template <set_kept Kept, class Ranges, class O>
O run_set(const Ranges& r, set_cut from, set_cut to, O out) {
  auto a = advanced(r.first1, from.first);
  auto b = advanced(r.first2, from.second);
  const auto last_a = advanced(r.first1, to.first);
  const auto last_b = advanced(r.first2, to.second);
  const ordering first_before_second(r.comp, r.proj1, r.proj2);
  const ordering second_before_first(r.comp, r.proj2, r.proj1);
  while (a != last_a && b != last_b) {
    const bool first = first_before_second(*a, *b);
    if constexpr (steps_without_branch<Kept, decltype(a), decltype(b)>) {
      set_step<Kept>(a, b, out, first, !first & second_before_first(*b, *a));
    } else if (first) {
      if constexpr (Kept.first) put_kept(a, out), ++out;
      ++a;
    } else if (second_before_first(*b, *a)) {
      if constexpr (Kept.second) put_kept(b, out), ++out;
      ++b;
    } else {
      if constexpr (Kept.both) put_kept(a, out), ++out;
      ++a;
      ++b;
    }
  }
  if constexpr (Kept.first) put_tail(a, last_a, out);
  if constexpr (Kept.second) put_tail(b, last_b, out);
  return out;
}

/// Whether each element of the second range between two cuts has an equal in the first.
template <class Ranges>
bool run_includes(const Ranges& r, set_cut from, set_cut to) {
  auto a = advanced(r.first1, from.first);
  auto b = advanced(r.first2, from.second);
  const auto last_a = advanced(r.first1, to.first);
  const auto last_b = advanced(r.first2, to.second);
  const ordering first_before_second(r.comp, r.proj1, r.proj2);
  const ordering second_before_first(r.comp, r.proj2, r.proj1);
  for (; b != last_b; ++a) {
    if (a == last_a || second_before_first(*b, *a)) return false;
    if (!first_before_second(*a, *b)) ++b;
  }
  return true;
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
