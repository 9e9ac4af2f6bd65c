// SPDX-License-Identifier: Apache-2.0
// Structs that grow: a later version adds fields at the end, and serves programs that were compiled
// with an earlier one.
#pragma once

#include <cstddef>
#include <cstring>

#include "nopal/c/claim.h"
#include "nopal/c/runtime.h"

namespace nopal::detail {

/// How many bytes T had in its first version. These never change.
template <class T>
inline constexpr std::size_t c_first_size = 0;
template <>
inline constexpr std::size_t c_first_size<nopal_options> = 40;
template <>
inline constexpr std::size_t c_first_size<nopal_claim_options> = 40;
template <>
inline constexpr std::size_t c_first_size<nopal_counts> = 112;
template <>
inline constexpr std::size_t c_first_size<nopal_statistics> = 176;

/// Returns whether a program that was compiled with a T of `size` bytes can be served.
template <class T>
constexpr bool c_size_fits(std::size_t size) noexcept {
  static_assert(c_first_size<T> != 0 && c_first_size<T> <= sizeof(T));
  return size >= c_first_size<T> && size <= sizeof(T);
}

/// Returns the options of a program: the fields that it knows, and `all` for the others.
/// \param from  an object of T::size bytes, which fits.
template <class T>
T c_copy_in(const T* from, T all) noexcept {
  static_assert(offsetof(T, size) == 0);
  std::memcpy(static_cast<void*>(&all), from, from->size);
  return all;
}

/// Copies what a program knows of `from`, its first `size` bytes, to `to`.
template <class T>
void c_copy_out(T* to, const T& from, std::size_t size) noexcept {
  std::memcpy(static_cast<void*>(to), &from, size);
}

}  // namespace nopal::detail
