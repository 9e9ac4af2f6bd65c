// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

#include "workloads/linear_algebra/aligned_array.hpp"

namespace nopal_bench {

/// An n × n matrix, row by row. The rows are a cache line farther apart than they are long: if they
/// were a power of two apart, the elements of a column would all compete for one set of the cache.
class square_matrix {
 public:
  explicit square_matrix(std::size_t n)
      : n_(n),
        stride_((n + doubles_in_line - 1) / doubles_in_line * doubles_in_line + doubles_in_line),
        data_(make_aligned_array(n * stride_)) {
    fill(0);
  }

  void fill(double value) { std::fill_n(data_.get(), n_ * stride_, value); }

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }
  double& operator()(std::size_t i, std::size_t j) { return data_[i * stride_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }

 private:
  std::size_t n_;
  std::size_t stride_;
  aligned_array data_;
};

/// \returns A matrix of integers from -8 to 7: sums of products of them are exact, in whatever
/// order they are formed.
template <class Matrix>
Matrix small_integers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Matrix m(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      m(i, j) = static_cast<double>(random() >> 60) - 8;
    }
  }
  return m;
}

}  // namespace nopal_bench
