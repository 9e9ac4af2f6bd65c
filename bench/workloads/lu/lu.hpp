// SPDX-License-Identifier: Apache-2.0
// LU decomposition without pivoting of a diagonally dominant n × n matrix in contiguous blocks of
// 32 × 32, by quadrants, as Cilk's lu does it: decompose the first; solve for those beside and
// below it; subtract their product from the last, and decompose the last.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "block_kernels.hpp"
#include "harness/enroll.hpp"
#include "workloads/linear_algebra/block_matrix.hpp"
#include "workloads/linear_algebra/product.hpp"
#include "workloads/linear_algebra/residual.hpp"
#include "workloads/linear_algebra/times_vector.hpp"

namespace nopal_bench {

/// Single blocks are the leaves, which take some 5 µs.
constexpr std::size_t lu_block = 32;

using lu_matrix = block_matrix<lu_block>;
using lu_product = product<lu_matrix::block_size, 1>;

/// A part of the matrix, counted in blocks.
struct lu_part {
  [[nodiscard]] lu_part left(std::size_t count) const { return {at, stride, rows, count}; }
  [[nodiscard]] lu_part right(std::size_t count) const {
    return {at + (cols - count) * lu_matrix::block_size, stride, rows, count};
  }
  [[nodiscard]] lu_part top(std::size_t count) const { return {at, stride, count, cols}; }
  [[nodiscard]] lu_part bottom(std::size_t count) const {
    return {at + (rows - count) * stride, stride, count, cols};
  }

  double* at;
  std::size_t stride;  // doubles from one row of blocks to the next
  std::size_t rows;
  std::size_t cols;
};

inline bool is_block(const lu_part& m) { return m.rows == 1 && m.cols == 1; }

/// A square part cut into quadrants, if it has more than one block.
struct lu_quadrants {
  explicit lu_quadrants(const lu_part& m)
      : first(m.rows / 2),
        rest(m.rows - first),
        m00(m.top(first).left(first)),
        m01(m.top(first).right(rest)),
        m10(m.bottom(rest).left(first)),
        m11(m.bottom(rest).right(rest)) {}

  std::size_t first;
  std::size_t rest;
  lu_part m00;
  lu_part m01;
  lu_part m10;
  lu_part m11;
};

/// m -= v·w.
inline lu_product lu_product_of(const lu_part& m, const lu_part& v, const lu_part& w) {
  return {update::subtract, v.at, w.at, m.at, m.stride, {m.rows, v.cols, m.cols}};
}

inline bool is_leaf(const lu_product& p) { return p.longest() == 1; }
inline void multiply(const lu_product& p) {
  multiply_block<update::subtract, lu_block>(p.a, p.b, p.c);
}

struct lu_problem {
  static constexpr std::string_view name = "lu";
  static constexpr std::array sizes{problem_size{"smoke", 256}, problem_size{"quick", 3072},
                                    problem_size{"paper", 4096}};

  explicit lu_problem(std::uint64_t size)
      : n(checked(size)), original(n), m(n), x(random_signs(n)) {
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        original(i, j) = static_cast<double>(random() >> 11) * 0x1p-52 - 1;  // from -1 to 1
        sum += std::abs(original(i, j));
      }
      original(i, i) = sum;
    }
    expected = times_vector(original, x);
  }

  void prepare() {
    m.copy(original);
    result = false;
  }

  // The check compares L·(U·x) with A·x.
  [[nodiscard]] std::string error() const {
    std::vector<double> ux(n);
    std::vector<double> lux(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        ux[i] += m(i, j) * x[j];
      }
      lux[i] = ux[i];
      for (std::size_t j = 0; j < i; ++j) {
        lux[i] += m(i, j) * ux[j];
      }
    }
    return residual_error(lux, expected, original(0, 0));
  }

  [[nodiscard]] lu_part whole() { return {m.data(), m.stride(), m.blocks(), m.blocks()}; }

  std::size_t n;
  lu_matrix original;
  lu_matrix m;
  std::vector<double> x;
  std::vector<double> expected;
  bool result = false;  // set once decomposed, for the record

 private:
  static std::size_t checked(std::uint64_t n) {
    if (n == 0 || n % lu_block != 0) {
      throw std::invalid_argument("lu: n is " + std::to_string(n) +
                                  ", allowed are multiples of 32");
    }
    return n;
  }
};

}  // namespace nopal_bench
