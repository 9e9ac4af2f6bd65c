// SPDX-License-Identifier: Apache-2.0
// A compiler says by this in one sentence why an algorithm does not take a call.
#pragma once

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/refusal.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <refusal Why, refusal Reason>
inline constexpr bool is_not = Why != Reason;

/// Says why, in one sentence, for each Call: compilers say once what is wrong with a function.
template <refusal Why, class... Call>
constexpr void say_why() noexcept {
  static_assert(is_not<Why, refusal::no_range>,
                "nopal: an algorithm begins with a range, with two iterators of one, or, if it "
                "does not write there, with two integers; nopal::grain{n} comes before that");
  static_assert(is_not<Why, refusal::read_once>,
                "nopal: the elements can be read only once; put them into a container first");
  static_assert(is_not<Why, refusal::no_end>,
                "nopal: the range has no end; std::views::take cuts it");
  static_assert(is_not<Why, refusal::bits>,
                "nopal: elements of std::vector<bool> share words, which two workers cannot write "
                "to at the same time; use std::vector<char>");
  static_assert(is_not<Why, refusal::no_random_access>,
                "nopal: the elements must be reached at random and their number be known; put them "
                "into a std::vector first");
  static_assert(is_not<Why, refusal::constant>,
                "nopal: the elements cannot be moved to each other's places: they are const, or "
                "can be neither moved nor assigned");
  static_assert(is_not<Why, refusal::out_is_a_range>,
                "nopal: where to write is given as an iterator: out.begin() and not out");
  static_assert(is_not<Why, refusal::out_is_no_place>,
                "nopal: where to write must be a random-access iterator to elements that exist, "
                "since several workers write at the same time; std::back_inserter is none: make "
                "the container as long as the range, and give its begin()");
  static_assert(
      is_not<Why, refusal::too_few>,
      "nopal: an argument is missing; after the range come where to write, if anything is "
      "written elsewhere, the initial value if there is one, and the function");
  static_assert(is_not<Why, refusal::projection>,
                "nopal: the projection, the last argument, cannot be called as const with an "
                "element");
  static_assert(is_not<Why, refusal::not_const>,
                "nopal: several workers call the function at the same time, so it must be callable "
                "as const, which a mutable lambda is not; std::ref hands over one that takes care "
                "of that itself, and nopal::reducer sums up");
  static_assert(is_not<Why, refusal::not_callable>,
                "nopal: the function cannot be called with the elements; an operation of fold or "
                "scan takes the initial value, or an element, and an element");
  static_assert(is_not<Why, refusal::not_assignable>,
                "nopal: the result cannot be assigned to the element where it is to be written");
  static_assert(is_not<Why, refusal::begins_with_no_element>,
                "nopal: a partial result begins with an element, from which what the operation "
                "returns cannot be made; a projection makes that type of each element");
  static_assert(is_not<Why, refusal::does_not_combine>,
                "nopal: workers fold parts of the range, so the operation must also combine two "
                "results of its own; a projection makes that type of each element");
  static_assert(is_not<Why, refusal::no_truth>,
                "nopal: what the function returns is neither true nor false; a predicate or a "
                "comparison returns a bool");
  static_assert(is_not<Why, refusal::second_range>,
                "nopal: a second range, or its two iterators, is missing behind the first");
  static_assert(is_not<Why, refusal::middle>,
                "nopal: behind the range comes an iterator that says where it is to be divided: "
                "v.begin() + 3 and not 3");
  static_assert(is_not<Why, refusal::seed>,
                "nopal: behind the range comes a seed, an integer or a random number generator "
                "such as std::mt19937");
  static_assert(is_not<Why, refusal::integer_key>,
                "nopal: each element has an integer as its key, which a projection, the last "
                "argument, may make of it; before that come where to write, if anything is written "
                "elsewhere, and the number of buckets, if there are any");
  static_assert(is_not<Why, refusal::others> && is_not<Why, refusal::none>,
                "nopal: the algorithm does not take these arguments; its docstring says which");
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
