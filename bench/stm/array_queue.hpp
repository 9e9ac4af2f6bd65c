// SPDX-License-Identifier: Apache-2.0
// A queue of transactions: a ring in an array, as STAMP's is.
#pragma once

#include <cstddef>
#include <memory>

#include "stm/tm.hpp"

namespace nopal_bench {

/// \tparam T  a pointer. nullptr is no element.
template <class T>
class array_queue {
 public:
  explicit array_queue(std::size_t capacity)
      : size_(capacity + 1), elements_(new element[capacity + 1]) {}

  /// The caller puts in at most as many as the capacity.
  void push(tm::transaction& t, T x) {
    const std::size_t at = t.get(ends_, ends_.last);
    t.set(elements_[at], elements_[at].value, x);
    t.set(ends_, ends_.last, after(at));
  }
  /// The same where no transaction runs.
  void push_now(T x) {
    const std::size_t at = ends_.last.value();
    elements_[at].value.set_value(x);
    ends_.last.set_value(after(at));
  }
  /// The oldest, or nullptr if it is empty.
  T pop(tm::transaction& t) {
    const std::size_t at = t.get(ends_, ends_.first);
    if (at == t.get(ends_, ends_.last)) return nullptr;
    const T x = t.get(elements_[at], elements_[at].value);
    t.set(ends_, ends_.first, after(at));
    return x;
  }

 private:
  struct element : tm::object {
    tm::field<T> value{nullptr};
  };
  struct both_ends : tm::object {
    tm::field<std::size_t> first{0};
    tm::field<std::size_t> last{0};
  };

  [[nodiscard]] std::size_t after(std::size_t at) const { return at + 1 == size_ ? 0 : at + 1; }

  std::size_t size_;
  std::unique_ptr<element[]> elements_;
  both_ends ends_;
};

}  // namespace nopal_bench
