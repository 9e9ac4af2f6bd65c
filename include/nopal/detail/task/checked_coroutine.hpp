// SPDX-License-Identifier: Apache-2.0
// A checking build asks this of each task. docs/reference.md, "Find misuse", describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"

namespace nopal::detail {

/// Whether C is the type of a lambda expression: only its name tells.
template <class C>
constexpr bool is_closure() noexcept {
#ifdef __clang__
  constexpr std::string_view begin_of_name = "(lambda at ";
#else
  constexpr std::string_view begin_of_name = "<lambda(";
#endif
  return std::string_view(__PRETTY_FUNCTION__).find(begin_of_name) != std::string_view::npos;
}

/// A closure whose bytes stay as they are while it lives: nothing that it has captured can change.
/// A closure that is not const is that of a mutable lambda, or a copy that belongs to the
/// coroutine.
template <class C>
concept unchanging_closure =
    std::is_const_v<C> && !std::is_empty_v<C> && std::is_trivially_copyable_v<C> && is_closure<C>();

/// The part of each task's promise that ends the process with a message if the task ends without a
/// result, or begins when its closure is gone.
class checked_coroutine {
 public:
  void declared(const std::source_location& at) noexcept { declared_ = at; }

  /// Notes the first parameter that the coroutine has been called with. If that is the closure
  /// whose call the coroutine is, the coroutine refers to the closure when it runs.
  template <class First>
  void is_call_with(First& first) noexcept {
    if constexpr (unchanging_closure<First>) {
      closure_ = detail::address_of(first);
      bytes_ = sizeof first;
      digest_ = digest();
    }
  }

  void begins() const noexcept {
    if (closure_ != nullptr && digest() != digest_) closure_is_gone();
  }

  /// Ends the process, since a nopal::eventual is read too early.
  [[noreturn, gnu::cold]] static void no_value_yet() noexcept;

  /// Notes that the coroutine returns something, or throws.
  void leaves() noexcept { has_left_ = true; }
  void ends() const noexcept {
    if (!has_left_) no_co_return();
  }

 private:
  [[nodiscard]] std::uint64_t digest() const noexcept;
  [[noreturn, gnu::cold]] void closure_is_gone() const noexcept;
  [[noreturn, gnu::cold]] void no_co_return() const noexcept;

  std::source_location declared_;
  const void* closure_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t digest_ = 0;
  bool has_left_ = false;
};

}  // namespace nopal::detail
