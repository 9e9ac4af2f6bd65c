// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/linear_algebra/aligned_array.hpp"

namespace nopal_bench {

/// An n × n matrix in square blocks. Each block is contiguous, and the blocks lie row by row; n is
/// a multiple of their side. A row of blocks is one block longer than it needs to be, for the same
/// reason as a row of square_matrix.
template <std::size_t Side>
class block_matrix {
 public:
  static constexpr std::size_t block_size = Side * Side;

  explicit block_matrix(std::size_t n)
      : n_(n), stride_((n / Side + 1) * block_size), data_(make_aligned_array(n / Side * stride_)) {
    fill(0);
  }

  void fill(double value) { std::fill_n(data_.get(), n_ / Side * stride_, value); }
  void copy(const block_matrix& from) {
    std::copy_n(from.data_.get(), n_ / Side * stride_, data_.get());
  }

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::size_t blocks() const { return n_ / Side; }  // in a row or column
  // The doubles from one row of blocks to the next.
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }
  double& operator()(std::size_t i, std::size_t j) { return data_[index(i, j)]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[index(i, j)]; }

 private:
  [[nodiscard]] std::size_t index(std::size_t i, std::size_t j) const {
    return i / Side * stride_ + j / Side * block_size + i % Side * Side + j % Side;
  }

  std::size_t n_;
  std::size_t stride_;
  aligned_array data_;
};

}  // namespace nopal_bench
