// SPDX-License-Identifier: Apache-2.0
// The product of two matrices by square tiles that fit a cache. Each tile of the product is
// computed by one call, so that no two calls write the same element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nopal/nopal.hpp>
#include <random>
#include <vector>

namespace {

class matrix {
 public:
  explicit matrix(std::size_t side) : side_(side), elements_(side * side) {}

  [[nodiscard]] std::size_t side() const { return side_; }
  std::uint32_t* operator[](std::size_t row) { return &elements_[row * side_]; }
  const std::uint32_t* operator[](std::size_t row) const { return &elements_[row * side_]; }

 private:
  std::size_t side_;
  std::vector<std::uint32_t> elements_;
};

constexpr std::size_t tile = 32;  // three tiles of numbers take 12 KiB, and fit the first cache

/// Adds the product of a tile of `a` and a tile of `b` to a tile of `c`.
void add_product(const matrix& a, const matrix& b, matrix& c, std::size_t row, std::size_t column,
                 std::size_t inner) {
  for (std::size_t i = row; i < std::min(row + tile, c.side()); ++i)
    for (std::size_t k = inner; k < std::min(inner + tile, c.side()); ++k)
      for (std::size_t j = column; j < std::min(column + tile, c.side()); ++j)
        c[i][j] += a[i][k] * b[k][j];
}

matrix product(const matrix& a, const matrix& b) {
  matrix c(a.side());
  const std::size_t tiles = (c.side() + tile - 1) / tile;
  nopal::for_each(0, tiles * tiles, [&](std::size_t i) {
    for (std::size_t inner = 0; inner < c.side(); inner += tile)
      add_product(a, b, c, i / tiles * tile, i % tiles * tile, inner);
  });
  return c;
}

std::vector<std::uint32_t> product(const matrix& a, const std::vector<std::uint32_t>& v) {
  std::vector<std::uint32_t> result(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j) result[i] += a[i][j] * v[j];
  return result;
}

}  // namespace

int main() {
  constexpr std::size_t side = 250;  // the last tiles of a row and of a column are not full
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<std::uint32_t>(random()); };
  matrix a(side), b(side);
  std::generate_n(a[0], side * side, number);
  std::generate_n(b[0], side * side, number);

  const matrix c = product(a, b);

  // Unsigned numbers wrap around, so that (a b) v is exactly a (b v). A product with an element
  // that is wrong fails this for almost every v.
  std::vector<std::uint32_t> v(side);
  std::ranges::generate(v, number);
  const bool right = product(c, v) == product(a, product(b, v));
  std::printf("a product of %zu rows is %s\n", side, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
