// SPDX-License-Identifier: Apache-2.0
// Operations on sorted ranges as sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm/set_operations.hpp"
#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"
#include "support/order.hpp"
#include "support/ranges.hpp"

namespace {

using nopal::grain;
using nopal_test::everywhere;
using nopal_test::keyed;
using nopal_test::scrambled;

/// Returns n sorted keys of so many different ones, which count their places from `place` on.
std::vector<keyed> sorted_keys(std::size_t n, unsigned different, int place) {
  std::vector<keyed> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i].key = static_cast<int>(scrambled(i + static_cast<std::size_t>(place)) % different);
  std::ranges::sort(v);
  for (keyed& k : v) k.place = place++;
  return v;
}

using keys = std::vector<keyed>;
using operation = keys::iterator (*)(std::size_t g, const keys& a, const keys& b,
                                     keys::iterator out);

constexpr auto key = &keyed::key;

/// Each operation, by nopal and by the standard library.
constexpr std::array<std::array<operation, 2>, 4> operations{{
    {[](std::size_t g, const keys& a, const keys& b, keys::iterator out) {
       return nopal::set_union(grain{g}, a, b, out, {}, key, key);
     },
     [](std::size_t, const keys& a, const keys& b, keys::iterator out) {
       return std::ranges::set_union(a, b, out, {}, key, key).out;
     }},
    {[](std::size_t g, const keys& a, const keys& b, keys::iterator out) {
       return nopal::set_intersection(grain{g}, a, b, out, {}, key, key);
     },
     [](std::size_t, const keys& a, const keys& b, keys::iterator out) {
       return std::ranges::set_intersection(a, b, out, {}, key, key).out;
     }},
    {[](std::size_t g, const keys& a, const keys& b, keys::iterator out) {
       return nopal::set_difference(grain{g}, a, b, out, {}, key, key);
     },
     [](std::size_t, const keys& a, const keys& b, keys::iterator out) {
       return std::ranges::set_difference(a, b, out, {}, key, key).out;
     }},
    {[](std::size_t g, const keys& a, const keys& b, keys::iterator out) {
       return nopal::set_symmetric_difference(grain{g}, a, b, out, {}, key, key);
     },
     [](std::size_t, const keys& a, const keys& b, keys::iterator out) {
       return std::ranges::set_symmetric_difference(a, b, out, {}, key, key).out;
     }},
}};

TEST(SetOperations, AsStd) {
  constexpr std::size_t lengths[] = {
      0, 1, 2, 9, 300, 2000, nopal_test::with_sanitizer ? 20 : 30000};
  everywhere([&lengths] {
    for (const std::size_t n : lengths)
      for (const std::size_t m : lengths)
        for (const unsigned different : {1U, 7U, 500U, 100000U})
          for (const std::size_t g : {std::size_t{0}, std::size_t{5}, std::size_t{100}}) {
            if (g == 5 && n + m > 5000) continue;
            const keys a = sorted_keys(n, different, 0), b = sorted_keys(m, different, 1000000);
            for (const auto& [of_nopal, of_std] : operations) {
              keys expected(n + m, keyed{-1, -1}), out = expected;
              const auto length = of_std(0, a, b, expected.begin()) - expected.begin();
              ASSERT_EQ(of_nopal(g, a, b, out.begin()) - out.begin(), length);
              ASSERT_EQ(out, expected) << n << " and " << m << " of " << different << ", " << g
                                       << ", operation " << &of_nopal - &operations[0][0];
            }
          }
  });
}

TEST(SetOperations, Strings) {
  everywhere([] {
    std::vector<std::string> a, b;
    for (unsigned i = 0; i < 9000; ++i) a.push_back(std::to_string(scrambled(i) % 20000));
    for (unsigned i = 0; i < 8000; ++i) b.push_back(std::to_string(i * 2));
    std::ranges::sort(a);
    std::ranges::sort(b);
    std::vector<std::string> expected(17000), out(17000);
    const auto end = std::ranges::set_intersection(a, b, expected.begin()).out;
    EXPECT_EQ(
        nopal::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin(),
        end - expected.begin());
    EXPECT_EQ(out, expected);
  });
}

TEST(SetOperations, Throw) {
  everywhere([] {
    std::vector<int> a(50000, 1), out(100000);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i);
    EXPECT_THROW(nopal::set_union(a, a, out.begin(),
                                  [](int x, int y) {
                                    if (x == 30000) throw std::runtime_error("comparison");
                                    return x < y;
                                  }),
                 std::runtime_error);
  });
}

TEST(Includes, AsStd) {
  everywhere([] {
    for (const std::size_t n : {0U, 1U, 10U, 3000U, 60000U})
      for (const unsigned different : {1U, 50U, 100000U}) {
        const keys a = sorted_keys(n, different, 0);
        keys some;
        for (std::size_t i = 0; i < n; i += 3) some.push_back(a[i]);
        EXPECT_TRUE(nopal::includes(a, some, {}, key, key));
        EXPECT_TRUE(nopal::includes(grain{7}, a, a, {}, key, key));
        if (n == 0) continue;
        // One more of a key than there are, at the beginning, in the middle and at the end.
        for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
          keys more;
          for (const keyed& k : a)
            if (k.key == a[at].key) more.push_back(k);
          EXPECT_TRUE(nopal::includes(a, more, {}, key, key));
          more.push_back(more.back());
          EXPECT_FALSE(nopal::includes(a, more, {}, key, key)) << n << " " << different;
          EXPECT_FALSE(nopal::includes(grain{7}, a, more, {}, key, key)) << n << " " << different;
        }
      }
  });
}

}  // namespace
