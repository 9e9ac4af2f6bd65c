// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::bytes;

/// Calls a function with arguments that have come from another rank.
using call_by_bytes = bytes (*)(const bytes& arguments);

/// Notes under which number other ranks call a function. Ranks run the same program, so they give
/// the same numbers.
/// \throws nopal::mpi::error if another function has the number.
bool register_function(std::uint64_t number, call_by_bytes call, std::string_view name);

/// Calls the function with this number.
/// \throws what it throws; std::logic_error if there is none.
bytes call_function(std::uint64_t number, const bytes& arguments);

/// Hashes a name (FNV-1a).
constexpr std::uint64_t number_of_name(std::string_view name) noexcept {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

template <class F>
struct signature;
template <class R, class... A>
struct signature<R (*)(A...)> {
  using result = R;
  using arguments = std::tuple<std::decay_t<A>...>;
};
template <class R, class... A>
struct signature<R (*)(A...) noexcept> : signature<R (*)(A...)> {};

}  // namespace nopal::detail::mpi

namespace nopal::mpi {

/// A function that other ranks can be asked to call: nopal::mpi::function<&f>. It is an ordinary
/// function; an archive takes its arguments and its result.
template <auto F>
class function_type {
  using signature = detail::mpi::signature<decltype(F)>;

 public:
  using result = typename signature::result;
  using arguments = typename signature::arguments;

  static std::uint64_t number() noexcept {
    static_cast<void>(is_registered);  // when the program starts
    return detail::mpi::number_of_name(name());
  }
  static bytes call(const bytes& with) {
    input_archive in(with);
    auto all = in.next<arguments>();
    output_archive out;
    if constexpr (std::is_void_v<result>)
      std::apply(F, std::move(all));
    else
      out(std::apply(F, std::move(all)));
    return out.take();
  }

 private:
  static std::string_view name() noexcept { return __PRETTY_FUNCTION__; }
  static const bool is_registered;
};
template <auto F>
const bool function_type<F>::is_registered =
    detail::mpi::register_function(detail::mpi::number_of_name(name()), &call, name());

template <auto F>
inline constexpr function_type<F> function{};

}  // namespace nopal::mpi
