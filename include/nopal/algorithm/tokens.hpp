// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "nopal/algorithm/filter.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/loop_options.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct tokens_function {
  template <class Pred>
    requires std::predicate<const Pred&, char>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::vector<std::string_view> operator()(std::string_view text, Pred separates,
                                                          const loop_options& options = {}) const {
    const auto is_outside = [&](std::size_t i) {
      return i == text.size() || static_cast<bool>(std::invoke(separates, text[i]));
    };
    // Where a token begins or ends. These come in turns.
    const auto turns = [&](std::size_t i) {
      return (i == 0 || is_outside(i - 1)) != is_outside(i);
    };
    const std::vector<std::size_t> ends = checked_call<filter_function>()(
        std::views::iota(std::size_t{0}, text.size() + 1), turns, options);
    std::vector<std::string_view> result(ends.size() / 2);
    checked_call<map_function>()(
        std::views::iota(std::size_t{0}, result.size()), result.begin(),
        [&](std::size_t i) { return text.substr(ends[2 * i], ends[2 * i + 1] - ends[2 * i]); },
        options);
    return result;
  }
  /// The string would be gone when the tokens are used.
  template <std::same_as<std::string> Text, class Pred>
  void operator()(Text&& text, Pred separates, const loop_options& options = {}) const = delete;
};

}  // namespace algorithm_detail

/// Splits a text at the characters for which a predicate holds: tokens(text, separates) returns all
/// that lies between them and is not empty, in order.
/// \code
/// const std::string text = "to be,  or not";
/// const std::vector<std::string_view> words =
///     nopal::tokens(text, [](char c) { return c == ' ' || c == ','; });
/// \endcode
/// \param text  must outlive the tokens, which are parts of it.
/// \param separates  called by several workers at once, as const, at most twice for each character.
/// \returns the tokens.
/// \throws whatever separates throws; if several calls throw, the exception of the first in order
/// among those that ran. std::bad_alloc if there is no memory.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: at most two calls for each of n characters; the span is that of filter. Memory for
/// two numbers to each token.
/// Source: parlaylib has a function of this name; here it is a filter of places.
NOPAL_HIDDEN inline constexpr algorithm_detail::tokens_function tokens{};

}  // namespace parallel
}  // namespace nopal
