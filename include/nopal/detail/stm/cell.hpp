// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nopal::detail {

/// The type of the words in which a value of `Size` bytes lies: one word of its own size, or
/// several of eight bytes.
template <std::size_t Size>
using cell_word = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t,
                       std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

/// Stands in the place of a value whose type was refused, so that compilers say no more.
struct refused_value {
  refused_value() noexcept = default;
  template <class T>
  refused_value(const T&) noexcept {}  // takes anything
  template <class T>
  operator T() const noexcept;  // not defined
};

template <class T>
using shared_value = std::conditional_t<std::is_trivially_copyable_v<T>, T, refused_value>;

/// Returns a T{}, which is the first value if no other was given.
template <class T>
constexpr shared_value<T> first_value() noexcept {
  constexpr bool has_one = std::is_default_constructible_v<T>;
  static_assert(has_one,
                "nopal: T has no default constructor; give what transactions share its first "
                "value");
  if constexpr (has_one)
    return T{};
  else
    return static_cast<shared_value<T>>(refused_value());
}

/// Holds a value that transactions share, in words that are read and written one by one. Locks tell
/// whether the words belong together.
template <class T>
class cell {
 public:
  static constexpr std::size_t size = sizeof(std::array<T, 1>);  // T may be a pointer
  using word = cell_word<size>;
  static constexpr std::size_t words = (size + sizeof(word) - 1) / sizeof(word);
  using image = std::array<word, words>;

  explicit cell(const T& value) noexcept { store(value, std::memory_order_relaxed); }

  /// Reads the words one by one. If there are several, they belong together only if the lock says
  /// so.
  [[nodiscard]] T load(std::memory_order order) const noexcept {
    image i;
    for (std::size_t k = 0; k < words; ++k) i[k] = words_[k].load(order);
    return from(i.data());
  }
  void store(const T& value, std::memory_order order) noexcept {
    const image i = image_of(value);
    for (std::size_t k = 0; k < words; ++k) words_[k].store(i[k], order);
  }

  [[nodiscard]] std::atomic<word>* first_word() noexcept { return words_.data(); }

  // These turn a value into words, and back.

  [[nodiscard]] static image image_of(const T& value) noexcept {
    image i{};
    std::memcpy(i.data(), static_cast<const void*>(&value), size);
    return i;
  }
  [[nodiscard]] static T from(const void* at) noexcept {
    std::array<std::byte, size> bytes;
    std::memcpy(bytes.data(), at, size);
    return std::bit_cast<T>(bytes);
  }

 private:
  alignas(T) alignas(word) std::array<std::atomic<word>, words> words_;
};

}  // namespace nopal::detail
