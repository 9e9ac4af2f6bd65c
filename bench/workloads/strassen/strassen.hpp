// SPDX-License-Identifier: Apache-2.0
// C = A·B by Strassen's algorithm: seven products of matrices half as large, down to 64 × 64. Each
// product forms its two factors in memory of its own; when the seven results are added up, rows are
// independent.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/enroll.hpp"
#include "workloads/linear_algebra/aligned_array.hpp"
#include "workloads/linear_algebra/keep_freed_memory.hpp"
#include "workloads/linear_algebra/multiply_leaf.hpp"
#include "workloads/linear_algebra/product_check.hpp"
#include "workloads/linear_algebra/square_matrix.hpp"

namespace nopal_bench {

/// Products up to this size are not split further. They take some 35 µs.
constexpr std::size_t strassen_cutoff = 64;

/// So many elements of the rows of a result are added up at a time, in some 20 µs.
constexpr std::size_t strassen_sum_cutoff = 8192;

constexpr std::size_t strassen_products = 7;

/// c = a·b for n × n parts of matrices.
struct strassen_product {
  const double* a;
  std::size_t stride_a;
  const double* b;
  std::size_t stride_b;
  double* c;
  std::size_t stride_c;
  std::size_t n;
};

inline bool is_leaf(const strassen_product& p) { return p.n <= strassen_cutoff; }

inline void multiply(const strassen_product& p) {
  multiply_leaf<update::set>({p.n, p.n, p.n}, p.a, p.stride_a, p.b, p.stride_b, p.c, p.stride_c);
}

/// One level of the recursion, with room for the results of its seven products.
struct strassen_level {
  explicit strassen_level(const strassen_product& product)
      : p(product), half(p.n / 2), results(make_aligned_array(strassen_products * half * half)) {}

  [[nodiscard]] double* result(std::size_t i) const { return results.get() + i * half * half; }

  /// The number of rows whose sums are formed at a time.
  [[nodiscard]] std::size_t rows_at_a_time() const {
    return std::max<std::size_t>(1, strassen_sum_cutoff / half);
  }

  strassen_product p;
  std::size_t half;
  aligned_array results;
};

/// A quadrant, or the sum or difference of two. Quadrants are numbered from left to right and from
/// top to bottom.
struct strassen_term {
  unsigned first;
  int sign;  // 0: the first alone
  unsigned second;
};

/// The factors of the seven products.
constexpr std::array<strassen_term, strassen_products> strassen_left{
    {{0, 1, 3}, {2, 1, 3}, {0, 0, 0}, {3, 0, 0}, {0, 1, 1}, {2, -1, 0}, {1, -1, 3}}};
constexpr std::array<strassen_term, strassen_products> strassen_right{
    {{0, 1, 3}, {0, 0, 0}, {1, -1, 3}, {2, -1, 0}, {3, 0, 0}, {0, 1, 1}, {2, 1, 3}}};

/// sum = x + sign·y, n × n elements; sum is contiguous.
[[gnu::noinline]] inline void add_signed(std::size_t n, const double* x, const double* y,
                                         std::size_t stride, int sign, double* __restrict sum) {
  const double factor = sign;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      sum[i * n + j] = x[i * stride + j] + factor * y[i * stride + j];
    }
  }
}

/// A factor of a product: a quadrant in its place, or a sum in memory of its own.
class strassen_factor {
 public:
  strassen_factor(const double* whole, std::size_t stride, std::size_t half, strassen_term term)
      : at_(quadrant(whole, stride, half, term.first)), stride_(stride) {
    if (term.sign != 0) {
      sum_ = make_aligned_array(half * half);
      add_signed(half, at_, quadrant(whole, stride, half, term.second), stride, term.sign,
                 sum_.get());
      at_ = sum_.get();
      stride_ = half;
    }
  }

  [[nodiscard]] const double* at() const { return at_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  static const double* quadrant(const double* whole, std::size_t stride, std::size_t half,
                                unsigned q) {
    return whole + (q / 2) * half * stride + (q % 2) * half;
  }

  const double* at_;
  std::size_t stride_;
  aligned_array sum_;
};

/// The factors of one of the seven products, which live while it is computed.
class strassen_factors {
 public:
  strassen_factors(const strassen_level& level, std::size_t i)
      : left_(level.p.a, level.p.stride_a, level.half, strassen_left[i]),
        right_(level.p.b, level.p.stride_b, level.half, strassen_right[i]),
        product_{left_.at(),      left_.stride(), right_.at(), right_.stride(),
                 level.result(i), level.half,     level.half} {}

  [[nodiscard]] const strassen_product& product() const { return product_; }

 private:
  strassen_factor left_;
  strassen_factor right_;
  strassen_product product_;
};

/// Adds the seven results up to the four quadrants of c, for some rows of them.
[[gnu::noinline]] inline void add_up_results(const strassen_level& level, std::size_t first,
                                             std::size_t last) {
  const std::size_t half = level.half;
  const std::size_t stride = level.p.stride_c;
  for (std::size_t i = first; i < last; ++i) {
    const double* m1 = level.result(0) + i * half;
    const double* m2 = level.result(1) + i * half;
    const double* m3 = level.result(2) + i * half;
    const double* m4 = level.result(3) + i * half;
    const double* m5 = level.result(4) + i * half;
    const double* m6 = level.result(5) + i * half;
    const double* m7 = level.result(6) + i * half;
    double* __restrict c11 = level.p.c + i * stride;
    double* __restrict c12 = c11 + half;
    double* __restrict c21 = c11 + half * stride;
    double* __restrict c22 = c21 + half;
    for (std::size_t j = 0; j < half; ++j) {
      c11[j] = m1[j] + m4[j] - m5[j] + m7[j];
      c12[j] = m3[j] + m5[j];
      c21[j] = m2[j] + m4[j];
      c22[j] = m1[j] - m2[j] + m3[j] + m6[j];
    }
  }
}

struct strassen_problem {
  static constexpr std::string_view name = "strassen";
  static constexpr std::array sizes{problem_size{"smoke", 256}, problem_size{"quick", 2048},
                                    problem_size{"paper", 4096}};

  explicit strassen_problem(std::uint64_t n)
      : a(small_integers<square_matrix>(checked(n), 1)),
        b(small_integers<square_matrix>(n, 2)),
        c(n),
        check(a, b) {
    keep_freed_memory();
  }

  void prepare() {
    c.fill(std::numeric_limits<double>::quiet_NaN());
    result = false;
  }

  // The sums of integers double with each level and stay far below 2^53: Strassen's algorithm is
  // exact here, too.
  [[nodiscard]] std::string error() const { return check.error(c); }

  [[nodiscard]] strassen_product whole() {
    return {a.data(), a.stride(), b.data(), b.stride(), c.data(), c.stride(), c.size()};
  }

  square_matrix a;
  square_matrix b;
  square_matrix c;
  product_check check;
  bool result = false;  // set once multiplied, for the record

 private:
  static std::uint64_t checked(std::uint64_t n) {
    std::uint64_t leaf = n;
    while (leaf > strassen_cutoff && leaf % 2 == 0) {
      leaf /= 2;
    }
    if (leaf == 0 || leaf > strassen_cutoff || leaf % 4 != 0) {
      throw std::invalid_argument(
          "strassen: n is " + std::to_string(n) +
          ", allowed are multiples of 4 up to 64, and those from 36 on times a power of 2");
    }
    return n;
  }
};

}  // namespace nopal_bench
