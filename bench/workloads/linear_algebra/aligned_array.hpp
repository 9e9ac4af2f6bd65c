// SPDX-License-Identifier: Apache-2.0
// Memory for doubles that begins at a cache line, so that no vector of a leaf kernel lies across
// two lines.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace nopal_bench {

constexpr std::size_t cache_line = 64;
constexpr std::size_t doubles_in_line = cache_line / sizeof(double);

struct aligned_delete {
  void operator()(double* p) const { ::operator delete[](p, std::align_val_t{cache_line}); }
};
using aligned_array = std::unique_ptr<double[], aligned_delete>;

/// \returns Room for so many doubles, not initialized.
inline aligned_array make_aligned_array(std::size_t count) {
  return aligned_array(
      static_cast<double*>(::operator new[](count * sizeof(double), std::align_val_t{cache_line})));
}

}  // namespace nopal_bench
