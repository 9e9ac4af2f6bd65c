// SPDX-License-Identifier: Apache-2.0
// This refuses forks whose arguments would dangle.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "nopal/detail/task/segmented_stack.hpp"

namespace nopal::detail {

/// The declared parameters of a function, or of a closure whose call operator is no template;
/// otherwise nothing is known.
template <class F>
struct parameters_of {
  static constexpr bool known = false;
};

template <class... P>
struct known_parameters {
  static constexpr bool known = true;
  using types = std::tuple<P...>;
};

template <class R, class... P>
struct parameters_of<R (*)(P...)> : known_parameters<P...> {};
template <class R, class... P>
struct parameters_of<R (*)(P...) noexcept> : known_parameters<P...> {};

template <class M>
struct parameters_of_member {
  static constexpr bool known = false;
};
template <class R, class C, class... P>
struct parameters_of_member<R (C::*)(P...)> : known_parameters<P...> {};
template <class R, class C, class... P>
struct parameters_of_member<R (C::*)(P...) const> : known_parameters<P...> {};
template <class R, class C, class... P>
struct parameters_of_member<R (C::*)(P...) noexcept> : known_parameters<P...> {};
template <class R, class C, class... P>
struct parameters_of_member<R (C::*)(P...) const noexcept> : known_parameters<P...> {};

template <class F>
  requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of_member<decltype(&F::operator())> {};

/// Whether a parameter of type P, given an A&&, refers to something that ends with the expression.
/// So does, in all likelihood, a class without a destructor that is made from a temporary with one:
/// a std::string_view from a std::string.
template <class P, class A>
inline constexpr bool dangles =
    std::is_reference_v<P>
        ? !std::is_lvalue_reference_v<A> ||
              !std::is_convertible_v<std::remove_reference_t<A>*, std::remove_reference_t<P>*>
        : std::is_class_v<P> && std::is_trivially_destructible_v<P> && std::is_class_v<A> &&
              !std::is_same_v<P, std::remove_cv_t<A>> && !std::is_trivially_destructible_v<A>;

template <class P>
inline constexpr bool fits_frame = true;
template <class P>
  requires std::is_object_v<P>
inline constexpr bool fits_frame<P> = alignof(P) <= segmented_stack::alignment;

template <class Parameters, class... A>
inline constexpr bool any_dangles = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool any_dangles<std::tuple<P...>, A...> = (dangles<P, A> || ...);

/// Whether T is a std::reference_wrapper. Its name would take <functional>, so what it has tells.
template <class T>
concept is_reference_wrapper = requires(const T& wrapper) {
  { wrapper.get() } -> std::same_as<typename T::type&>;
};

/// Whether F, called with arguments of the types A, keeps a reference to an argument that no longer
/// exists when the child runs.
template <class F, class... A>
constexpr bool arguments_dangle() {
  using function = std::decay_t<F>;
  if constexpr (std::is_member_pointer_v<function>) {
    // The object is the first argument.
    return []<class Object, class... Rest>(std::tuple<Object, Rest...>*) {
      if constexpr (std::is_class_v<Object> && !is_reference_wrapper<Object>)
        return true;  // a temporary
      else if constexpr (parameters_of_member<function>::known)
        return any_dangles<typename parameters_of_member<function>::types, Rest...>;
      else
        return false;
    }(static_cast<std::tuple<A...>*>(nullptr));
  } else if constexpr (parameters_of<function>::known) {
    return any_dangles<typename parameters_of<function>::types, A...>;
  } else {
    return false;
  }
}

/// Refuses a fork of a task whose closure or arguments would be gone when the child runs.
/// nopal::fork() calls this.
template <class F, class... A>
constexpr void check_fork() {
  static_assert(!arguments_dangle<F, A...>(),
                "nopal::fork: a parameter is a reference and its argument a temporary, gone when "
                "the child runs; take the parameter "
                "by value, or give it a variable that lives until the join");
  static_assert(std::is_lvalue_reference_v<F> || !std::is_class_v<F> || std::is_empty_v<F>,
                "nopal::fork: the closure is a temporary and holds something that would be gone "
                "when the child runs; make it a "
                "variable that lives until the join, or hand it over as an argument");
}

/// Says what the parameters of a coroutine must be. It is a base of the coroutine's traits.
template <class... Parameters>
struct task_parameters {
  static_assert((fits_frame<Parameters> && ...),
                "nopal::task: a parameter must not be over-aligned: frames are aligned to 16 "
                "bytes; take it by reference");
  static_assert((!std::is_rvalue_reference_v<Parameters> && ...),
                "nopal::task: a coroutine must not have a parameter of type T&&; take it by value, "
                "or what it refers to may be gone when the coroutine runs");
};

}  // namespace nopal::detail
