// SPDX-License-Identifier: Apache-2.0
// A compiler says by these what is wrong with a transaction that cannot be run, and with what a
// transaction cannot read or write. \see checked_function.hpp
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/stm/read_log.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/var.hpp"

namespace nopal {
namespace stm {

template <class T, class Locks>
class boxed;

}  // namespace stm
namespace detail {

/// The results of overloads without named parameters, as one_function_comes_first__… is.
struct a_transaction_is_one_function__a_lambda_chooses_among_several_of_one_name;
struct or_else_takes_two_functions__a_lambda_chooses_among_several_of_one_name;

template <class Reads>
concept keeps_reads = requires(read_log& to, const versioned_lock& lock) { Reads::add(to, lock); };

/// The type of what a part of a transaction returns; void if the part was refused.
template <class F, class... A>
struct part_result {
  using type = void;
};
template <class F, class... A>
  requires(std::is_invocable_v<F, A...> && !returns_a_task<F, A...>)
struct part_result<F, A...> {
  using type = std::invoke_result_t<F, A...>;
};
template <class F, class... A>
using result_of_part = typename part_result<F, A...>::type;

/// Returns whether a transaction with these Reads can call a body. If not, says why.
/// \tparam Keeps  whether a copy of the body is kept.
template <class F, class Reads, bool Keeps = false>
constexpr bool check_body() noexcept {
  using transaction = stm::basic_transaction<Reads>&;
  constexpr bool keeps = keeps_reads<Reads>;
  constexpr bool callable = std::is_invocable_v<F&, transaction>;
  constexpr bool is_plain = !returns_a_task<F&, transaction> && !is_already_made<F>;
  constexpr bool movable = can_be_handed_on<result_of_part<F&, transaction>>;
  constexpr bool copies = !Keeps || std::is_constructible_v<std::decay_t<F>, F>;
  static_assert(keeps,
                "nopal: the template argument says how a transaction keeps what it has read, by "
                "stm::array_reads or stm::hash_reads; what it returns is what its body returns");
  static_assert(is_plain,
                "nopal: the body of a transaction returns a task, which would run when the "
                "transaction is over; a body is a plain function of stm::transaction&");
  static_assert(!keeps || !is_plain || callable,
                "nopal: the body of a transaction cannot be called with the transaction alone; it "
                "takes a stm::transaction&, or a stm::basic_transaction<Reads>& if the call names "
                "Reads");
  static_assert(movable,
                "nopal: what the body returns can neither be copied nor moved, so it cannot come "
                "back; let it return a reference or a std::unique_ptr");
  static_assert(
      copies, "nopal: a copy of the body lies in the task, and it cannot be copied; std::move it");
  return keeps && callable && is_plain && movable && copies;
}

template <class F, class Reads>
using result_of_body =
    std::conditional_t<can_be_handed_on<result_of_part<F&, stm::basic_transaction<Reads>&>>,
                       result_of_part<F&, stm::basic_transaction<Reads>&>, void>;

/// Returns whether a transaction can call a function of the program as a part of itself. If not,
/// the compiler says why.
template <class F, class... A>
constexpr bool check_part() noexcept {
  constexpr bool copies = sizeof...(A) > 0 || std::is_constructible_v<std::decay_t<F>, F>;
  constexpr bool callable = std::is_invocable_v<F, A...>;
  constexpr bool is_plain = !returns_a_task<F, A...>;
  static_assert(callable,
                "nopal: a part of a transaction cannot be called: nested() and or_else() call "
                "functions of stm::transaction&, on_commit() and on_abort() functions without "
                "parameters, for_each() a function of a value, or of a key and a value");
  static_assert(is_plain,
                "nopal: a part of a transaction returns a task, which would run when the "
                "transaction is over; it must be a plain function");
  static_assert(copies,
                "nopal: on_commit() and on_abort() keep a copy of the function, which cannot be "
                "copied; let it capture a std::shared_ptr instead of a std::unique_ptr");
  return callable && is_plain && copies;
}

template <class F, class G, class Transaction>
inline constexpr bool are_alternatives =
    std::is_invocable_v<F, Transaction> && std::is_invocable_v<G, Transaction> &&
    std::is_same_v<result_of_part<F, Transaction>, result_of_part<G, Transaction>>;

/// Returns whether or_else() can call both functions. If not, the compiler says why.
template <class F, class G, class Transaction>
constexpr bool check_or_else() noexcept {
  constexpr bool callable =
      std::is_invocable_v<F, Transaction> && std::is_invocable_v<G, Transaction>;
  constexpr bool are_plain = !returns_a_task<F, Transaction> && !returns_a_task<G, Transaction>;
  constexpr bool alike = are_alternatives<F, G, Transaction>;
  static_assert(callable,
                "nopal: or_else() calls both functions with the transaction, and one cannot be "
                "called so; each takes a stm::transaction&");
  static_assert(are_plain,
                "nopal: a part of a transaction returns a task, which would run when the "
                "transaction is over; it must be a plain function");
  static_assert(!callable || !are_plain || alike,
                "nopal: the two functions of or_else() return different types; name one in both: "
                "[](stm::transaction& t) -> double { return 1; }");
  return callable && are_plain && alike;
}

/// Returns whether a transaction can make a T of the arguments. If not, the compiler says so.
template <class T, class... A>
constexpr bool check_make() noexcept {
  constexpr bool makes = std::is_constructible_v<T, A...>;
  static_assert(makes, "nopal: no T, which is to be made, can be constructed from these arguments");
  return makes;
}

/// Returns whether a transaction can destroy what a P points to. If not, the compiler says why.
template <class P>
constexpr bool check_destroy() noexcept {
  constexpr bool is_pointer = std::is_pointer_v<P>;
  constexpr bool is_object = !is_pointer || std::is_object_v<std::remove_pointer_t<P>>;
  static_assert(is_pointer,
                "nopal: t.destroy(p) takes a pointer to what `new` or t.make() has made");
  static_assert(is_object,
                "nopal: t.destroy(p) calls the destructor of what p points to, and a void* does "
                "not say which");
  return is_pointer && is_object;
}

template <class T, class... A>
T* new_value(A&&... args) {
  constexpr bool makes = std::is_constructible_v<T, A...>;
  static_assert(makes, "nopal: no value of a stm::boxed can be constructed from these arguments");
  if constexpr (makes)
    return new T(std::forward<A>(args)...);
  else
    return nullptr;
}

/// Stands in the place of a std::hash that does not exist.
struct refused_hash {
  template <class K>
  std::size_t operator()(const K& key) const noexcept;  // not defined
};

/// Whether an order can compare two values. The constructors of containers check it, because types
/// are complete there.
template <class Less, class A, class B = A>
inline constexpr bool orders = std::is_invocable_r_v<bool, Less, const A&, const B&>;
/// Compares two values. Returns false if the order was refused.
template <class Less, class A, class B>
bool compare(Less& less, const A& a, const B& b) {
  if constexpr (orders<Less&, A, B>)
    return less(a, b);
  else
    return false;
}

/// These say what lies in a place, and whether an X can be set there.
template <class T>
struct value_in_var {
  template <class X>
  static constexpr bool takes = std::is_convertible_v<X, T>;
};
template <class T>
struct value_in_box {
  template <class X>
  static constexpr bool takes = std::is_constructible_v<T, X>;
};

// These have the parameters of the overloads of get(), and return what lies there. They are not
// defined.
template <class T, class L>
value_in_var<T> accessed(const stm::var<T, L>&);
template <class T, class L>
value_in_box<T> accessed(const stm::boxed<T, L>&);
template <class O, class T, class L, class C>
  requires std::derived_from<O, C> && std::derived_from<O, stm::object<L>>
value_in_var<T> accessed(const O&, stm::field<T, L> C::*);
template <class O, class T, class L>
  requires std::derived_from<O, stm::object<L>>
value_in_var<T> accessed(const O&, const stm::field<T, L>&);

// These can be called with anything and a field, whether the field is one of it or not.
template <class O, class T, class L, class C>
void field_of(const O&, stm::field<T, L> C::*);
template <class O, class T, class L>
void field_of(const O&, const stm::field<T, L>&);

template <class... A>
concept accessible = requires(const A&... a) { accessed(a...); };

/// Whether the arguments are a field and something that is not its object.
template <class... A>
inline constexpr bool is_field_of_another = false;
template <class O, class F, class... More>
inline constexpr bool is_field_of_another<O, F, More...> =
    requires(const O& o, const F& f) { field_of(o, f); } && !accessible<O, F>;

template <class First>
inline constexpr bool is_changeable =
    std::is_lvalue_reference_v<First> && !std::is_const_v<std::remove_reference_t<First>>;

/// Whether the arguments of set() say where to write; and whether the value can be written there.
template <class... A>
inline constexpr bool says_where = false;
template <class Where, class X>
  requires accessible<std::remove_reference_t<Where>>
inline constexpr bool says_where<Where, X> = true;
template <class O, class F, class X>
  requires accessible<std::remove_reference_t<O>, std::remove_reference_t<F>>
inline constexpr bool says_where<O, F, X> = true;

template <class... A>
inline constexpr bool takes_value = false;
template <class Where, class X>
  requires says_where<Where, X>
inline constexpr bool takes_value<Where, X> =
    decltype(accessed(std::declval<const Where&>()))::template takes<X>;
template <class O, class F, class X>
  requires says_where<O, F, X>
inline constexpr bool takes_value<O, F, X> =
    decltype(accessed(std::declval<const O&>(), std::declval<const F&>()))::template takes<X>;

template <class First, class... More>
inline constexpr bool writable = is_changeable<First> && takes_value<First, More...>;

/// Says why a transaction cannot read what it is given.
template <class... A>
constexpr void refuse_get() noexcept {
  static_assert(!is_field_of_another<A...>,
                "nopal: the field is not one of this stm::object: derive its type from "
                "stm::object<Locks>, and give its fields the same Locks");
  static_assert(is_field_of_another<A...> || accessible<A...>,
                "nopal: t.get(v) reads a stm::var or a stm::boxed, t.get(o, &type::f) a stm::field "
                "f of a stm::object; an element of a stm::array is a stm::var, and other "
                "containers have functions of their own");
}

/// Says why a transaction cannot write what it is given.
template <class First, class... More>
constexpr void refuse_set() noexcept {
  constexpr bool another =
      is_field_of_another<std::remove_reference_t<First>, std::remove_reference_t<More>...>;
  constexpr bool where = says_where<First, More...>;
  static_assert(!another,
                "nopal: the field is not one of this stm::object: derive its type from "
                "stm::object<Locks>, and give its fields the same Locks");
  static_assert(another || where,
                "nopal: t.set(v, x) writes a stm::var or a stm::boxed, t.set(o, &type::f, x) a "
                "stm::field f of a stm::object; b.set(t, a, b) makes the value of a stm::boxed b "
                "from several");
  static_assert(!where || is_changeable<First>, "nopal: t.set() writes no const variable");
  static_assert(!where || !is_changeable<First> || takes_value<First, More...>,
                "nopal: t.set() cannot convert the value to the type of what it writes");
}

}  // namespace detail
}  // namespace nopal
