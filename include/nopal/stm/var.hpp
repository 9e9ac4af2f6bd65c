// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "nopal/detail/stm/cell.hpp"
#include "nopal/stm/policies.hpp"

namespace nopal::stm {

template <class Reads>
class basic_transaction;

/// One value that transactions read and write, with its own lock.
/// \code
/// nopal::stm::var<int> tickets{100};
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   t.set(tickets, t.get(tickets) - 1);
/// });
/// \endcode
///
/// \tparam T  trivially copyable, of any size; stm::boxed<T> holds any other type.
/// \tparam Locks  the policy that says where the lock lies: one of policies.hpp.
/// Thread-safety: any number of transactions read and write it. It must outlive all that may do so.
template <class T, class Locks = default_locks>
class var : private detail::parts_of<Locks>::in_object, private detail::parts_of<Locks>::in_field {
  static_assert(detail::is_lock_policy<Locks>,
                "nopal::stm: Locks must be a policy of nopal/stm/policies.hpp: inline_lock, "
                "word_lock or lock_table<Bits, Shift>");
  static_assert(std::is_trivially_copyable_v<T>,
                "nopal: T must be trivially copyable; stm::boxed<T> b holds any other type, and "
                "t.get(b) and t.set(b, value) read and set it");

 public:
  using value_type = T;

  var() noexcept : cell_(detail::first_value<T>()) {}
  /// Not explicit: a plain value becomes one that transactions share.
  var(const T& value) noexcept : cell_(value) {}
  var(const var&) = delete;
  var& operator=(const var&) = delete;  // a transaction t sets it: t.set()
  operator T() const = delete;          // a transaction t reads it: t.get()

  /// Returns the value, for whoever knows that no transaction writes it now.
  [[nodiscard]] T value() const noexcept { return cell_.load(std::memory_order_relaxed); }
  /// Sets the value, for whoever knows that no transaction reads or writes it now.
  void set_value(const T& value) noexcept { cell_.store(value, std::memory_order_relaxed); }

 private:
  template <class Reads>
  friend class basic_transaction;

  [[nodiscard]] detail::versioned_lock& lock() const noexcept {
    return Locks::lock_of(*this, *this, &cell_);
  }

  detail::cell<detail::shared_value<T>> cell_;
};

}  // namespace nopal::stm
