// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "nopal/detail/stm/cell.hpp"
#include "nopal/stm/policies.hpp"

namespace nopal::stm {

template <class Reads>
class basic_transaction;

/// The base of an object whose fields transactions read and write. With the default policy it has
/// one lock for all of them.
/// \code
/// struct node : nopal::stm::object<> {
///   nopal::stm::field<int> key;
///   nopal::stm::field<node*> next;
/// };
/// node* n = nopal::stm::atomically([](nopal::stm::transaction& t) {
///   node* made = t.make<node>();
///   t.set(*made, &node::key, 7);
///   return made;
/// });
/// nopal::stm::atomically([n](nopal::stm::transaction& t) { t.destroy(n); });
/// \endcode
///
/// \tparam Locks  the policy that says where the locks lie; its fields have the same.
template <class Locks = default_locks>
class object : private detail::parts_of<Locks>::in_object {
  static_assert(detail::is_lock_policy<Locks>,
                "nopal::stm: Locks must be a policy of nopal/stm/policies.hpp: inline_lock, "
                "word_lock or lock_table<Bits, Shift>");

 public:
  object(const object&) = delete;
  object& operator=(const object&) = delete;

 protected:
  object() noexcept = default;
  ~object() = default;

 private:
  template <class Reads>
  friend class basic_transaction;

  [[nodiscard]] const typename detail::parts_of<Locks>::in_object& lock_part() const noexcept {
    return *this;
  }
};

/// A field of an stm::object, or an element of an array in one.
/// \code
/// struct account : nopal::stm::object<> {
///   nopal::stm::field<long> balance{0};
/// };
/// \endcode
///
/// \tparam T  trivially copyable, of any size.
/// \tparam Locks  the policy of the object.
template <class T, class Locks = default_locks>
class field : private detail::parts_of<Locks>::in_field {
  static_assert(std::is_trivially_copyable_v<T>,
                "nopal: T must be trivially copyable; stm::boxed<T> b holds any other type, and "
                "t.get(b) and t.set(b, value) read and set it");

 public:
  using value_type = T;

  field() noexcept : cell_(detail::first_value<T>()) {}
  /// Not explicit: a plain value becomes one that transactions share.
  field(const T& value) noexcept : cell_(value) {}
  field(const field&) = delete;
  field& operator=(const field&) = delete;  // a transaction t sets it: t.set()
  operator T() const = delete;              // a transaction t reads it: t.get()

  /// Returns the value, for whoever knows that no transaction writes it now: in a constructor or a
  /// destructor.
  [[nodiscard]] T value() const noexcept { return cell_.load(std::memory_order_relaxed); }
  /// Sets the value, for whoever knows that no transaction reads or writes it now.
  void set_value(const T& value) noexcept { cell_.store(value, std::memory_order_relaxed); }

 private:
  template <class Reads>
  friend class basic_transaction;

  [[nodiscard]] detail::versioned_lock& lock(
      const typename detail::parts_of<Locks>::in_object& in_object) const noexcept {
    return Locks::lock_of(in_object, *this, &cell_);
  }

  detail::cell<detail::shared_value<T>> cell_;
};

}  // namespace nopal::stm
