// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/stm/address_index.hpp"
#include "nopal/stm/transaction.hpp"
#include "nopal/stm/var.hpp"

namespace nopal::stm {

/// A number to which transactions add. They seldom conflict with each other: the number lies in
/// several parts, and each transaction adds to one of them. Whoever reads the number conflicts with
/// all that add to it.
/// \code
/// nopal::stm::counter<> sold;
/// nopal::stm::atomically([&](nopal::stm::transaction& t) { sold.add(t, 1); });
/// auto n = nopal::stm::atomically([&](nopal::stm::transaction& t) { return sold.value(t); });
/// \endcode
///
/// Thread-safety: as for stm::var.
/// Complexity: add() reads and writes one location, value() reads 16.
template <class Locks = default_locks>
class counter {
 public:
  /// Adds `n`, which may be negative.
  template <class Reads>
  void add(basic_transaction<Reads>& t, std::int64_t n) {
    // The address of t chooses the part: transactions that run at once lie on different stacks.
    auto& number = parts_[detail::mixed_address(&t) >> 60].number;
    t.set(number, t.get(number) + n);
  }
  template <class Reads>
  [[nodiscard]] std::int64_t value(basic_transaction<Reads>& t) const {
    std::int64_t sum = 0;
    for (const part& p : parts_) sum += t.get(p.number);
    return sum;
  }

 private:
  struct alignas(detail::cache_line) part {
    var<std::int64_t, Locks> number{0};
  };
  std::array<part, 16> parts_;
};

}  // namespace nopal::stm
