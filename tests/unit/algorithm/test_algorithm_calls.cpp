// SPDX-License-Identifier: Apache-2.0
// The ways in which every algorithm can be called: options, braces, integers, tasks.
#include <gtest/gtest.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/nopal.hpp"
#include "support/algorithm.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::grain;
using nopal::loop_options;
using nopal::algorithm_detail::braces;
using nopal::algorithm_detail::checked_call;
using nopal_test::everywhere;

/// Says how it was called.
struct called {
  std::size_t grain;
  int first;
  std::string arguments;
  friend bool operator==(const called&, const called&) = default;
};

struct one_range_function {
  [[maybe_unused]] static constexpr auto kind = nopal::algorithm_detail::algorithm_kind::comparison;
  using function = std::ranges::less;

  template <class I, nopal::multipass_by<I> S, class Comp = function,
            nopal::projects<I> Proj = std::identity>
    requires nopal::shared_callable<Comp, int, int>
  called operator()(grain g, I first, S, Comp = {}, Proj = {}) const {
    return {g.elements, *first,
            std::string(std::same_as<Comp, function> ? "less" : "other") +
                (std::same_as<Proj, std::identity> ? "" : ", projected")};
  }
};
constexpr checked_call<one_range_function> one_range{};

struct two_ranges_function {
  [[maybe_unused]] static constexpr auto kind =
      nopal::algorithm_detail::algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  [[maybe_unused]] static constexpr std::size_t function_at = 1;
  using function = std::ranges::equal_to;

  template <class I1, nopal::multipass_by<I1> S1, class I2, nopal::multipass_by<I2> S2, class Comp,
            nopal::projects<I1> Proj1 = std::identity, nopal::projects<I2> Proj2 = std::identity>
    requires nopal::shared_callable<Comp, int, int>
  called operator()(grain g, I1 first1, S1, I2 first2, S2, int out, Comp, Proj1 = {},
                    Proj2 = {}) const {
    return {g.elements, *first1 + *first2 + out,
            std::string(std::same_as<Comp, function> ? "equal" : "other") +
                (std::same_as<Proj1, std::identity> ? "" : ", first") +
                (std::same_as<Proj2, std::identity> ? "" : ", second")};
  }
};
constexpr checked_call<two_ranges_function> two_ranges{};

struct middle_function {
  [[maybe_unused]] static constexpr auto kind = nopal::algorithm_detail::algorithm_kind::other;
  static constexpr bool has_middle = true;
  [[maybe_unused]] static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <class I, nopal::multipass_by<I> S, class Comp = function>
  called operator()(grain g, I first, S last, I middle, Comp = {}) const {
    return {g.elements, static_cast<int>(100 * (middle - first) + (last - middle)), ""};
  }
};
constexpr checked_call<middle_function> middle{};

/// Returns its first iterator, or its range.
struct first_function {
  [[maybe_unused]] static constexpr auto kind = nopal::algorithm_detail::algorithm_kind::other;

  template <class I, nopal::multipass_by<I> S>
  I operator()(grain, I first, S) const {
    return first;
  }
  template <class I, nopal::multipass_by<I> S>
  std::ranges::subrange<I> operator()(grain, I first, S, bool) const {
    return {first, first};
  }
};
constexpr checked_call<first_function> first_of_range{};

constexpr auto negated = [](int x) { return -x; };
constexpr auto greater = [](int a, int b) { return a > b; };

TEST(Calls, TakeOptionsBehindEveryNumberOfArguments) {
  const std::vector<int> v{7, 8};
  const loop_options five{.grain = 5};
  EXPECT_EQ(one_range(v), (called{0, 7, "less"}));
  EXPECT_EQ(one_range(v, {.grain = 3}), (called{3, 7, "less"}));
  EXPECT_EQ(one_range(v, five), (called{5, 7, "less"}));
  EXPECT_EQ(one_range(v, greater, five), (called{5, 7, "other"}));
  EXPECT_EQ(one_range(v.begin(), v.end(), greater, {.grain = 2}), (called{2, 7, "other"}));
  EXPECT_EQ(one_range(v, greater, negated, {.grain = 2}), (called{2, 7, "other, projected"}));
  EXPECT_EQ(one_range(grain{4}, v, greater), (called{4, 7, "other"}));
  EXPECT_EQ(one_range(grain{4}, v, greater, {.grain = 5}), (called{4, 7, "other"}));
  loop_options changed;
  changed.grain = 9;
  EXPECT_EQ(one_range(v, greater, negated, changed), (called{9, 7, "other, projected"}));
  EXPECT_EQ(two_ranges(v.begin(), v.end(), v.begin(), v.end(), 1, greater, negated, negated, five),
            (called{5, 15, "other, first, second"}));
}

TEST(Calls, TakeBracesForWhatIsUsual) {
  const std::vector<int> v{7, 8};
  EXPECT_EQ(one_range(v, {}, negated), (called{0, 7, "less, projected"}));
  EXPECT_EQ(one_range(v, {}), (called{0, 7, "less"}));
  EXPECT_EQ(one_range(v, greater, {}), (called{0, 7, "other"}));
  EXPECT_EQ(one_range(v, {}, {}), (called{0, 7, "less"}));
  EXPECT_EQ(one_range(v, {}, {.grain = 6}), (called{6, 7, "less"}));
  EXPECT_EQ(one_range(v, {}, {}, {.grain = 6}), (called{6, 7, "less"}));
  EXPECT_EQ(one_range(grain{3}, v, {}, negated), (called{3, 7, "less, projected"}));
  EXPECT_EQ(one_range(v.begin(), v.end(), {}, negated), (called{0, 7, "less, projected"}));
  EXPECT_EQ(two_ranges(v, v, 1, {}, {}, negated), (called{0, 15, "equal, second"}));
  EXPECT_EQ(two_ranges(v.begin(), v.end(), v.begin(), v.end(), 1, {}, negated),
            (called{0, 15, "equal, first"}));
  EXPECT_EQ(two_ranges(v.begin(), v.end(), v.begin(), v.end(), 1, {}, {}, negated, {.grain = 2}),
            (called{2, 15, "equal, second"}));
}

TEST(Calls, TakeBracesForEachFunctionOfTheirOwn) {
  const std::vector<std::pair<std::string, int>> v{{"a", 1}, {"b", 2}, {"a", 3}};
  const std::vector<std::pair<std::string, int>> sums{{"a", 4}, {"b", 2}};
  EXPECT_EQ(nopal::reduce_by_key(v), sums);
  EXPECT_EQ(nopal::reduce_by_key(v, {}, {}, {}), sums);
  EXPECT_EQ(nopal::reduce_by_key(v, {}, {}, {}, {}, {}, {.grain = 2}), sums);
  EXPECT_EQ(nopal::reduce_by_key(v, std::multiplies<>(), {}, {}, {}, std::equal_to<>())[0].second,
            3);
  const std::vector<std::string> words{"a", "b", "a"};
  EXPECT_EQ(nopal::remove_duplicates(words, {}, {}, std::equal_to<>()).size(), 2U);
  EXPECT_EQ(nopal::group_by(words, std::identity(), {}, {}, std::equal_to<>()).size(), 2U);
}

TEST(Calls, TakeTwoIntegers) {
  EXPECT_EQ(one_range(3, 9, greater), (called{0, 3, "other"}));
  EXPECT_EQ(one_range(grain{2}, 3, 9), (called{2, 3, "less"}));
  EXPECT_EQ(one_range(3, 9, {}, negated, {.grain = 2}), (called{2, 3, "less, projected"}));
  EXPECT_EQ(first_of_range(3, 9), 3) << "an index, not an iterator";
  static_assert(std::same_as<decltype(first_of_range(3, 9)), int>);
  static_assert(std::same_as<decltype(first_of_range(3, 9L)), long>);
  EXPECT_EQ(first_of_range(5, 5), 5) << "an empty range ends where it begins";
  EXPECT_EQ(first_of_range(5U, -5), 5U);
  EXPECT_EQ(nopal::find_if(7, 7, [](int) { return true; }), 7);
  EXPECT_THROW(static_cast<void>(first_of_range(-3, 9U)), std::invalid_argument);
  EXPECT_EQ(nopal::fold(1, 101, 0, std::plus<>{}), 5050);
  EXPECT_EQ(nopal::fold(1L, 101, std::plus<>{}), std::optional(5050L));
  EXPECT_EQ(nopal::fold(5, 5, std::plus<>{}), std::nullopt);
  std::vector<int> out(10);
  nopal::scan(1, 11, out.begin(), std::plus<>{});
  EXPECT_EQ(out.back(), 55);
  EXPECT_EQ(nopal::map(1, 11, out.begin(), negated), out.end());
  EXPECT_EQ(out.front(), -1);
}

TEST(Calls, PutTheMiddleBehindTheRange) {
  std::vector<int> v(10);
  EXPECT_EQ(middle(v, v.begin() + 3), (called{0, 307, ""}));
  EXPECT_EQ(middle(v.begin(), v.begin() + 3, v.end()), (called{0, 307, ""}));
  EXPECT_EQ(middle(v.begin(), v.begin() + 3, v.end(), greater, {.grain = 2}), (called{2, 307, ""}));
}

TEST(Calls, ReturnNoIteratorIntoWhatIsGone) {
  std::vector<int> v(3);
  EXPECT_EQ(first_of_range(v), v.begin());
  static_assert(std::same_as<decltype(first_of_range(std::vector<int>(3))), std::ranges::dangling>);
  static_assert(
      std::same_as<decltype(first_of_range(std::vector<int>(3), true)), std::ranges::dangling>);
  static_assert(std::same_as<decltype(first_of_range(std::views::all(v))), decltype(v.begin())>);
  EXPECT_EQ(nopal::map(std::vector<int>{1, 2, 3}, v.begin(), negated), v.end())
      << "where it was written is still there";
}

TEST(Calls, StopWhereTheirOptionsSay) {
  everywhere([] {
    std::vector<int> v(10000, 1), out(10000);
    std::stop_source source;
    const loop_options options{.grain = 10, .stop = source.get_token()};
    std::atomic<int> visits = 0;
    EXPECT_THROW(nopal::for_each(
                     v,
                     [&](int) {
                       if (++visits == 100) source.request_stop();
                       EXPECT_EQ(nopal::stop_requested(), source.stop_requested());
                     },
                     options),
                 nopal::stopped);
    EXPECT_LT(visits, 10000);
    EXPECT_THROW(nopal::fold(v, 0, std::plus<>{}, options), nopal::stopped);
    EXPECT_THROW(nopal::fold(v, std::plus<>{}, options), nopal::stopped);
    EXPECT_THROW(nopal::map(v, out.begin(), negated, options), nopal::stopped);
    EXPECT_THROW(nopal::scan(v, out.begin(), std::plus<>{}, options), nopal::stopped);
    EXPECT_THROW(nopal::exclusive_scan(v, out.begin(), 0, std::plus<>{}, options), nopal::stopped);
    EXPECT_EQ(nopal::fold(v, 0, std::plus<>{}, {.stop = std::stop_source().get_token()}), 10000)
        << "a stop that nobody requests";
  });
}

TEST(Calls, AreTasksWithOptions) {
  everywhere([] {
    std::vector<int> v(1000, 1);
    const auto all = [&]() -> nopal::task<int> {
      co_await nopal::tasks::for_each(v, [](int& x) { ++x; }, loop_options{.grain = 7});
      const int sum = co_await nopal::tasks::fold(1, 5, 0, std::plus<>{});
      co_return sum + co_await nopal::tasks::fold(v, 0, std::plus<>{}, loop_options{.grain = 7});
    };
    EXPECT_EQ(nopal::wait(all()), 2010);
  });
}

/// A program that uses both namespaces names the algorithms of both, but by argument-dependent
/// look-up it finds none of std's.
namespace with_both {
using namespace std;    // NOLINT: what is tested
using namespace nopal;  // NOLINT

TEST(Calls, AreFoundBesideTheStandardLibrary) {
  vector<int> v(10, 1);
  nopal::for_each(v, [](int& x) { ++x; });
  EXPECT_EQ(nopal::fold(v, 0, plus<>{}), 20);
  EXPECT_EQ(fold(v, 0, plus<>{}), 20);
}
}  // namespace with_both

static_assert(!nopal_test::takes<two_ranges_function, std::vector<int>&, int, std::less<>>);
static_assert(!nopal_test::takes<one_range_function, double, int>);
static_assert(!nopal_test::takes<one_range_function, std::vector<int>&, braces, int>);

}  // namespace
