// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "nopal/stm/transaction.hpp"
#include "nopal/stm/var.hpp"

namespace nopal::stm {

/// A value of any type that transactions read and replace. It is a pointer to a copy that never
/// changes. It is read and set like a var, by t.get() and t.set(), or by its own get() and set().
/// \code
/// nopal::stm::boxed<std::string> name{"nobody"};
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   if (t.get(name) == "nobody") t.set(name, "somebody");
///   name.set(t, 3, 'x');  // std::string(3, 'x')
/// });
/// \endcode
///
/// Thread-safety: as for stm::var.
template <class T, class Locks = default_locks>
class boxed {
 public:
  using value_type = T;

  template <class... A>
  explicit boxed(A&&... args) : pointer_(detail::new_value<T>(std::forward<A>(args)...)) {}
  /// Precondition: no transaction uses it any more.
  ~boxed() { delete pointer_.value(); }
  boxed(const boxed&) = delete;
  boxed& operator=(const boxed&) = delete;  // a transaction t sets it: t.set()
  operator const T&() const = delete;       // a transaction t reads it: t.get()

  /// Returns the value, which stays as it is until the transaction ends, or sets another.
  template <class Reads>
  [[nodiscard]] const T& get(basic_transaction<Reads>& t) const {
    return *t.get(pointer_);
  }
  /// Replaces the value by T(args...).
  /// \throws std::bad_alloc, and what the constructor throws.
  template <class Reads, class... A>
  void set(basic_transaction<Reads>& t, A&&... args) {
    if constexpr (detail::check_make<T, A...>()) {
      const T* before = t.get(pointer_);
      t.set(pointer_, t.template make<T>(std::forward<A>(args)...));
      t.destroy(before);
    }
  }

 private:
  var<const T*, Locks> pointer_;
};

}  // namespace nopal::stm
