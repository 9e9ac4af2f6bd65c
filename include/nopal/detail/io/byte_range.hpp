// SPDX-License-Identifier: Apache-2.0
// Which objects have their bytes one behind the other, and how calls of nopal::io take them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace nopal::detail {

/// Whether objects of type T are bytes, and no numbers or characters that have several.
template <class T>
inline constexpr bool is_byte =
    sizeof(T) == 1 && (std::integral<T> || std::same_as<T, std::byte>) && !std::same_as<T, bool>;

/// A T has its bytes one behind the other, and knows how many there are.
template <class T>
concept byte_range =
    std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
    is_byte<std::remove_cv_t<std::remove_reference_t<std::ranges::range_reference_t<T>>>>;

template <class T>
concept has_const_elements =
    byte_range<T> && std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>;

/// A const char* p, or an array: a text that ends with a zero.
template <class T>
concept text_with_zero =
    std::same_as<std::decay_t<T>, const char*> || std::same_as<std::remove_cvref_t<T>, char*>;

/// An array that may be a text with a zero, or bytes. Of const char it is the text.
template <class T>
inline constexpr bool is_text_or_bytes =
    std::is_array_v<std::remove_reference_t<T>> &&
    (std::same_as<std::remove_extent_t<std::remove_reference_t<T>>, char> ||
     std::same_as<std::remove_cv_t<std::remove_extent_t<std::remove_reference_t<T>>>, char8_t>);

/// Whether bytes can be read into an object, given as a T. What a call read into a temporary
/// container would be lost with it.
template <class T>
concept has_mutable_bytes =
    (byte_range<T> && std::ranges::borrowed_range<T> && !has_const_elements<T>) ||
    (!byte_range<T> && std::convertible_to<T, std::span<std::byte>>);

/// Whether the bytes of an object, given as a T, can be written.
template <class T>
concept has_bytes = text_with_zero<T> || (byte_range<T> && !is_text_or_bytes<T>) ||
                    (!byte_range<T> && std::convertible_to<T, std::span<const std::byte>>);

template <class T>
std::span<std::byte> mutable_bytes_of(T& x) noexcept {
  if constexpr (byte_range<T&>)
    return std::as_writable_bytes(std::span(std::ranges::data(x), std::ranges::size(x)));
  else
    return x;
}

template <class T>
std::span<const std::byte> bytes_of(T& x) noexcept {
  if constexpr (std::is_array_v<T> && text_with_zero<T>)
    return std::as_bytes(std::span(x, ::strnlen(x, std::extent_v<T>)));
  else if constexpr (text_with_zero<T>)
    return std::as_bytes(std::span(x, std::strlen(x)));
  else if constexpr (byte_range<T&>)
    return std::as_bytes(std::span(std::ranges::data(x), std::ranges::size(x)));
  else
    return x;
}

}  // namespace nopal::detail
