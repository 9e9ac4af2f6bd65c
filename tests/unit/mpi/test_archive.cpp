// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nopal/detail/mpi/trees.hpp"
#include "nopal/mpi/archive.hpp"

namespace {

using nopal::mpi::bytes;
using nopal::mpi::input_archive;
using nopal::mpi::output_archive;

/// Returns the value as it comes out.
template <class T>
T there_and_back(const T& value) {
  output_archive out;
  out(value);
  const bytes sent = out.take();
  return input_archive(sent).next<T>();
}

struct route {
  std::vector<int> cities;
  std::optional<std::string> name;
  template <class Archive>
  void serialize(Archive& a) {
    a(cities, name);
  }
  friend bool operator==(const route&, const route&) = default;
};

using nopal::mpi::is_archivable;
static_assert(is_archivable<route> && is_archivable<double> && is_archivable<std::string>);
static_assert(is_archivable<std::vector<std::optional<std::array<route, 2>>>>);
static_assert(is_archivable<std::tuple<std::pair<int, std::string>, route>>);
static_assert(!is_archivable<int*> && !is_archivable<std::vector<std::vector<int*>>>);
static_assert(!is_archivable<std::pair<int, std::unique_ptr<int>>>);

TEST(Archive, ValuesComeBack) {
  EXPECT_EQ(there_and_back(42), 42);
  EXPECT_EQ(there_and_back(1.5), 1.5);
  EXPECT_EQ(there_and_back(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(there_and_back(std::vector<int>{}), std::vector<int>{});
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false, true}),
            (std::vector<bool>{true, false, true}));
  const std::vector<std::vector<std::string>> nested{{"a", ""}, {}, {"bc"}};
  EXPECT_EQ(there_and_back(nested), nested);
  const std::tuple<int, std::string, std::array<std::string, 2>> mixed{1, "two", {"3", "4"}};
  EXPECT_EQ(there_and_back(mixed), mixed);
  EXPECT_EQ(there_and_back(std::pair(std::string("x"), 'y')), std::pair(std::string("x"), 'y'));
  EXPECT_EQ(there_and_back(std::optional<std::string>()), std::optional<std::string>());
  const std::vector<route> routes{{{1, 2, 3}, "r"}, {{}, std::nullopt}};
  EXPECT_EQ(there_and_back(routes), routes);
}

// Ranks that know nothing of the other inputs divide them no further than rank 0 does.
TEST(Archive, InputsOfAMapBringTheirLength) {
  const std::vector<int> all{1, 2, 3, 4, 5};
  const auto got = there_and_back(nopal::detail::mpi::inputs<int>{1, 4, 3, &all[1], {}});
  EXPECT_EQ(got.alone, 3);
  EXPECT_EQ(std::vector<int>(got.at, got.at + 3), (std::vector<int>{2, 3, 4}));
  const auto twice = [](int i) { return 2 * i; };
  const nopal::detail::mpi::map_tree<int, int, decltype(twice)> tree{twice};
  const auto results = tree.expand(got, [](const auto&) { ADD_FAILURE() << "it is divided"; });
  EXPECT_EQ(results, (std::vector<int>{4, 6, 8}));
}

TEST(Archive, TooFewBytesAreRefused) {
  output_archive out;
  out(std::vector<std::string>{"some", "words"});
  const bytes sent = out.take();
  for (std::size_t n = 0; n < sent.size(); ++n) {
    const bytes cut(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_THROW(static_cast<void>(input_archive(cut).next<std::vector<std::string>>()),
                 nopal::mpi::error)
        << n;
  }
}

TEST(Archive, LengthsThatCannotBeAreRefused) {
  output_archive out;
  out(std::uint64_t{1} << 62);
  const bytes sent = out.take();
  EXPECT_THROW(static_cast<void>(input_archive(sent).next<std::vector<int>>()), nopal::mpi::error);
  EXPECT_THROW(static_cast<void>(input_archive(sent).next<std::string>()), nopal::mpi::error);
}

/// One that is trivially copyable, and says itself what travels.
struct pointing {
  const int* at = nullptr;
  int number = 0;
  template <class Archive>
  void serialize(Archive& a) {
    a(number);
  }
};

TEST(Archive, ElementsSerializeThemselvesInContainersToo) {
  const int there = 1;
  nopal::mpi::output_archive out;
  out(std::vector<pointing>{{&there, 2}, {&there, 3}},
      std::vector<std::array<pointing, 1>>{{pointing{&there, 4}}});
  EXPECT_EQ(out.size(), 2 * sizeof(std::uint64_t) + 3 * sizeof(int));
  const nopal::mpi::bytes sent = out.take();
  nopal::mpi::input_archive in(sent);
  const auto got = in.next<std::vector<pointing>>();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].number, 3);
  EXPECT_EQ(got[1].at, nullptr);
  EXPECT_EQ((in.next<std::vector<std::array<pointing, 1>>>().at(0)[0].number), 4);
}

}  // namespace
