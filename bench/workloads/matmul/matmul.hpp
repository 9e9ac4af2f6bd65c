// SPDX-License-Identifier: Apache-2.0
// C = A·B for n × n matrices by halving the longest of the three extents, as Cilk's matmul does.
// Halves of C are independent; halves of the inner extent go one after the other, and the second
// adds to what the first has put there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"
#include "workloads/linear_algebra/multiply_leaf.hpp"
#include "workloads/linear_algebra/product.hpp"
#include "workloads/linear_algebra/product_check.hpp"
#include "workloads/linear_algebra/square_matrix.hpp"

namespace nopal_bench {

/// Products whose extents are all at most this are not split further. They take some 5 µs.
constexpr std::size_t matmul_cutoff = 32;

/// The extents are multiples of this, however often they are halved.
constexpr std::size_t matmul_multiple = 8;

using matmul_product = product<1, matmul_multiple>;

inline bool is_leaf(const matmul_product& p) { return p.longest() <= matmul_cutoff; }

inline void multiply(const matmul_product& p) {
  if (p.how == update::set) {
    multiply_leaf<update::set>(p.e, p.a, p.stride, p.b, p.stride, p.c, p.stride);
  } else {
    multiply_leaf<update::add>(p.e, p.a, p.stride, p.b, p.stride, p.c, p.stride);
  }
}

struct matmul_problem {
  static constexpr std::string_view name = "matmul";
  static constexpr std::array sizes{problem_size{"smoke", 256}, problem_size{"quick", 2048},
                                    problem_size{"paper", 2048}};

  explicit matmul_problem(std::uint64_t n)
      : a(small_integers<square_matrix>(checked(n), 1)),
        b(small_integers<square_matrix>(n, 2)),
        c(n),
        check(a, b) {}

  void prepare() {
    c.fill(std::numeric_limits<double>::quiet_NaN());
    result = false;
  }
  [[nodiscard]] std::string error() const { return check.error(c); }

  [[nodiscard]] matmul_product whole() {
    return {update::set, a.data(), b.data(), c.data(), c.stride(), {c.size(), c.size(), c.size()}};
  }

  square_matrix a;
  square_matrix b;
  square_matrix c;
  product_check check;
  bool result = false;  // set once multiplied, for the record

 private:
  static std::uint64_t checked(std::uint64_t n) {
    if (n == 0 || n % matmul_multiple != 0) {
      throw std::invalid_argument("matmul: n is " + std::to_string(n) +
                                  ", allowed are multiples of 8");
    }
    return n;
  }
};

}  // namespace nopal_bench
