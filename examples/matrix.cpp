// SPDX-License-Identifier: Apache-2.0
// The product of two matrices by tiles that fit a cache: a function that takes a tile is called for
// each tile of a grid. No two calls write the same element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nopal/algorithm/grid.hpp>
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

matrix product(const matrix& a, const matrix& b) {
  matrix c(a.side());
  nopal::for_each(nopal::grid(c.side(), c.side()), [&](const nopal::tile<std::size_t, 2>& t) {
    for (std::size_t k = 0; k < c.side(); ++k)
      for (const std::size_t i : t.rows())
        for (const std::size_t j : t.columns()) c[i][j] += a[i][k] * b[k][j];
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
  constexpr std::size_t side = 250;
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
