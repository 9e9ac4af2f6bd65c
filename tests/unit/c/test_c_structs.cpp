// SPDX-License-Identifier: Apache-2.0
// Structs that have grown since a program was compiled.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "c/structs.hpp"

namespace {

/// As a program of the first version has it.
struct first {
  std::size_t size;
  int a;
  unsigned char unused[4];
};
/// As this library has it.
struct grown {
  std::size_t size;
  int a;
  unsigned char unused[4];
  int b;
  int c;
};

}  // namespace

template <>
inline constexpr std::size_t nopal::detail::c_first_size<grown> = sizeof(first);

namespace {

using nopal::detail::c_copy_in;
using nopal::detail::c_copy_out;
using nopal::detail::c_size_fits;

TEST(CStructs, FitIfSomeVersionHadTheSize) {
  EXPECT_FALSE(c_size_fits<grown>(0));
  EXPECT_FALSE(c_size_fits<grown>(sizeof(first) - 1));
  EXPECT_TRUE(c_size_fits<grown>(sizeof(first)));
  EXPECT_TRUE(c_size_fits<grown>(sizeof(grown)));
  EXPECT_FALSE(c_size_fits<grown>(sizeof(grown) + 1));
}

/// An object of `size` bytes, with other bytes behind it.
template <class T>
std::array<std::byte, 2 * sizeof(grown)> bytes_of(const T& t) {
  std::array<std::byte, 2 * sizeof(grown)> all;
  all.fill(std::byte{0xee});
  std::memcpy(all.data(), &t, sizeof t);
  return all;
}

TEST(CStructs, HaveDefaultsForWhatAProgramDoesNotKnow) {
  const grown defaults{sizeof(grown), 1, {}, 2, 3};
  alignas(grown) const auto old = bytes_of(first{sizeof(first), 7, {}});
  const grown from_old = c_copy_in(reinterpret_cast<const grown*>(old.data()), defaults);
  EXPECT_EQ(from_old.a, 7);
  EXPECT_EQ(from_old.b, 2);
  EXPECT_EQ(from_old.c, 3);
  const grown given{sizeof(grown), 7, {}, 8, 9};
  const grown from_new = c_copy_in(&given, defaults);
  EXPECT_EQ(from_new.b, 8);
  EXPECT_EQ(from_new.c, 9);
}

TEST(CStructs, AreWrittenAsFarAsAProgramKnowsThem) {
  alignas(grown) auto old = bytes_of(first{sizeof(first), 0, {}});
  c_copy_out(reinterpret_cast<grown*>(old.data()), grown{sizeof(first), 7, {}, 8, 9},
             sizeof(first));
  first got;
  std::memcpy(&got, old.data(), sizeof got);
  EXPECT_EQ(got.a, 7);
  for (std::size_t i = sizeof(first); i < old.size(); ++i) EXPECT_EQ(old[i], std::byte{0xee});
}

// The sizes of the first version never change, and no byte of a struct is without a name.
TEST(CStructs, HaveNoPadding) {
  EXPECT_EQ(sizeof(nopal_options), offsetof(nopal_options, unused) + sizeof(nopal_options::unused));
  EXPECT_EQ(sizeof(nopal_statistics),
            offsetof(nopal_statistics, total) + sizeof(nopal_statistics::total));
  EXPECT_EQ(offsetof(nopal_statistics, more_unused),
            offsetof(nopal_statistics, unused) + sizeof(nopal_statistics::unused));
  EXPECT_TRUE(c_size_fits<nopal_options>(40));
  EXPECT_TRUE(c_size_fits<nopal_claim_options>(40));
  EXPECT_TRUE(c_size_fits<nopal_counts>(112));
  EXPECT_TRUE(c_size_fits<nopal_statistics>(176));
}

}  // namespace
