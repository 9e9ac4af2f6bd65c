// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "nopal/stm/array.hpp"
#include "nopal/stm/transaction.hpp"
#include "nopal/stm/var.hpp"

namespace nopal::stm {

/// Values, the least of which comes out first: a binary heap in an array.
/// \code
/// nopal::stm::heap<int> h;
/// nopal::stm::atomically([&](nopal::stm::transaction& t) { h.push(t, 3); });
/// int least = nopal::stm::atomically([&](nopal::stm::transaction& t) { return h.pop(t); });
/// \endcode
///
/// \tparam T  trivially copyable.
/// \tparam Less  a strict weak order.
/// Thread-safety: any number of transactions use it. All that push or pop conflict, because they
/// count the values.
/// Complexity: logarithmic; a push into a full array also copies it.
template <class T, class Less = std::less<>, class Locks = default_locks>
class heap {
 public:
  explicit heap(Less less = {}) : values_(new values(first_capacity)), less_(less) {
    static_assert(detail::orders<Less&, T>,
                  "nopal::stm::heap<T, Less>: Less cannot compare two T; give T an operator<, or "
                  "name an order");
    static_assert(
        std::is_trivially_copyable_v<T>,
        "nopal::stm::heap<T>: T must be trivially copyable; a pointer to a stm::boxed is");
  }
  /// Precondition: no transaction uses it any more.
  ~heap() { delete values_.value(); }
  heap(const heap&) = delete;
  heap& operator=(const heap&) = delete;

  /// \throws std::bad_alloc
  template <class Reads>
  void push(basic_transaction<Reads>& t, const T& x) {
    std::size_t i = t.get(size_);
    values& all = with_room(t, i);
    t.set(size_, i + 1);
    while (i != 0) {
      const std::size_t above = (i - 1) / 2;
      const T y = t.get(all[above]);
      if (!detail::compare(less_, x, y)) break;
      t.set(all[i], y);
      i = above;
    }
    t.set(all[i], x);
  }

  /// Removes and returns the least value. If the heap is empty, returns nothing.
  template <class Reads>
  std::optional<T> try_pop(basic_transaction<Reads>& t) {
    if (t.get(size_) == 0) return std::nullopt;
    const std::size_t size = t.get(size_) - 1;
    values& all = *t.get(values_);
    const T least = t.get(all[0]);
    t.set(size_, size);
    const T x = t.get(all[size]);
    std::size_t i = 0;
    for (std::size_t below = 1; below < size; below = 2 * i + 1) {
      T y = t.get(all[below]);
      if (below + 1 < size) {
        const T z = t.get(all[below + 1]);
        if (detail::compare(less_, z, y)) {
          y = z;
          ++below;
        }
      }
      if (!detail::compare(less_, y, x)) break;
      t.set(all[i], y);
      i = below;
    }
    t.set(all[i], x);
    return least;
  }

  /// Removes and returns the least value. If the heap is empty, the transaction calls retry().
  template <class Reads>
  T pop(basic_transaction<Reads>& t) {
    if (std::optional<T> x = try_pop(t)) return *x;
    t.retry();
  }

  template <class Reads>
  [[nodiscard]] std::size_t size(basic_transaction<Reads>& t) const {
    return t.get(size_);
  }

 private:
  static constexpr std::size_t first_capacity = 64;

  struct values : array<detail::shared_value<T>> {
    using array<detail::shared_value<T>>::array;
  };

  template <class Reads>
  values& with_room(basic_transaction<Reads>& t, std::size_t size) {
    values* old = t.get(values_);
    if (size < old->size()) return *old;
    auto* bigger = t.template make<values>(2 * size);
    for (std::size_t i = 0; i < size; ++i) (*bigger)[i].set_value(t.get((*old)[i]));
    t.set(values_, bigger);
    t.destroy(old);
    return *bigger;
  }

  var<values*, Locks> values_;
  var<std::size_t, Locks> size_{0};
  [[no_unique_address]] Less less_;
};

}  // namespace nopal::stm
