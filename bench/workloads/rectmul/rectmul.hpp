// SPDX-License-Identifier: Apache-2.0
// C = A·B as Cilk's rectmul does it, here for n × n matrices, by halving the longest of the three
// extents. Each matrix consists of contiguous blocks of 16 × 16. Halves of the inner extent go one
// after the other and need no temporary matrix: C alone has thousands of parts to work on at the
// same time, and a temporary would cost as much memory traffic again as the blocks of C.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"
#include "workloads/linear_algebra/block_matrix.hpp"
#include "workloads/linear_algebra/multiply_leaf.hpp"
#include "workloads/linear_algebra/product.hpp"
#include "workloads/linear_algebra/product_check.hpp"
#include "workloads/linear_algebra/square_matrix.hpp"

namespace nopal_bench {

constexpr std::size_t rectmul_block = 16;

/// Products of at most so many blocks in each direction are not split further. They take some 4 µs.
constexpr std::size_t rectmul_cutoff = 2;

using rectmul_matrix = block_matrix<rectmul_block>;
using rectmul_product = product<rectmul_matrix::block_size, 1>;

inline bool is_leaf(const rectmul_product& p) { return p.longest() <= rectmul_cutoff; }

/// Computes a leaf, block by block.
inline void multiply(const rectmul_product& p) {
  constexpr std::size_t unit = rectmul_matrix::block_size;
  for (std::size_t i = 0; i < p.e.rows; ++i) {
    for (std::size_t j = 0; j < p.e.cols; ++j) {
      double* c = p.c + i * p.stride + j * unit;
      for (std::size_t k = 0; k < p.e.inner; ++k) {
        const double* a = p.a + i * p.stride + k * unit;
        const double* b = p.b + k * p.stride + j * unit;
        if (p.how == update::set && k == 0) {
          multiply_block<update::set, rectmul_block>(a, b, c);
        } else {
          multiply_block<update::add, rectmul_block>(a, b, c);
        }
      }
    }
  }
}

struct rectmul_problem {
  static constexpr std::string_view name = "rectmul";
  static constexpr std::array sizes{problem_size{"smoke", 256}, problem_size{"quick", 2048},
                                    problem_size{"paper", 4096}};

  explicit rectmul_problem(std::uint64_t n)
      : a(small_integers<rectmul_matrix>(checked(n), 1)),
        b(small_integers<rectmul_matrix>(n, 2)),
        c(n),
        check(a, b) {}

  void prepare() {
    c.fill(std::numeric_limits<double>::quiet_NaN());
    result = false;
  }
  [[nodiscard]] std::string error() const { return check.error(c); }

  [[nodiscard]] rectmul_product whole() {
    return {update::set, a.data(),   b.data(),
            c.data(),    c.stride(), {c.blocks(), c.blocks(), c.blocks()}};
  }

  rectmul_matrix a;
  rectmul_matrix b;
  rectmul_matrix c;
  product_check check;
  bool result = false;  // set once multiplied, for the record

 private:
  static std::uint64_t checked(std::uint64_t n) {
    if (n == 0 || n % rectmul_block != 0) {
      throw std::invalid_argument("rectmul: n is " + std::to_string(n) +
                                  ", allowed are multiples of 16");
    }
    return n;
  }
};

}  // namespace nopal_bench
