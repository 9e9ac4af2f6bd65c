// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "nopal/stm/var.hpp"

namespace nopal::stm {

/// An array of values that transactions read and write, whose locks lie in a table.
/// \code
/// nopal::stm::array<int> seats(100);
/// nopal::stm::atomically([&](nopal::stm::transaction& t) { t.set(seats[7], 1); });
/// \endcode
///
/// \tparam T  trivially copyable, of any size.
/// \tparam Locks  the policy that says where the locks lie: one of policies.hpp.
/// Thread-safety: as for stm::var.
template <class T, class Locks = default_table>
class array {
 public:
  using value_type = T;

  /// Makes `n` values, each of them T{}.
  /// \throws std::bad_alloc
  explicit array(std::size_t n) : elements_(new var<T, Locks>[n]), size_(n) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// \param i  less than size().
  [[nodiscard]] var<T, Locks>& operator[](std::size_t i) noexcept { return elements_[i]; }
  [[nodiscard]] const var<T, Locks>& operator[](std::size_t i) const noexcept {
    return elements_[i];
  }

 private:
  std::unique_ptr<var<T, Locks>[]> elements_;
  std::size_t size_;
};

}  // namespace nopal::stm
