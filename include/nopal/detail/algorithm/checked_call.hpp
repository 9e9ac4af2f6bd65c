// SPDX-License-Identifier: Apache-2.0
// A compiler says by this why an algorithm does not take a call, instead of printing a page of
// concepts.
#pragma once

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/refusal.hpp"
#include "nopal/detail/runtime/checked_function.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// An algorithm for users. It accepts every call, so that a compiler can say what is wrong with one
/// that the algorithm does not take; see checked_function.hpp.
template <class Algorithm>
struct checked_call : Algorithm {
  using Algorithm::operator();

  template <class First, class... More>
  void operator()(First&& /*first*/, More&&... /*more*/) const {
    say_why<reason_of_refusal<Algorithm::kind, First, More...>(), First, More...>();
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No operator()(...) const;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
