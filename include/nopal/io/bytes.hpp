// SPDX-License-Identifier: Apache-2.0
// What calls of nopal::io read into and write from.
#pragma once

#include <cstddef>
#include <span>

#include "nopal/detail/io/byte_range.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Bytes that a call of nopal::io reads into. They are the caller's, and are not copied.
///
/// Whatever has its bytes one behind the other converts to it: a std::string, a std::vector, a
/// std::array, an array or a std::span, of char, unsigned char, std::byte or another type of one
/// byte, not const. A pointer p with a size n is written {p, n}.
/// \code
/// std::string text(100, '\0');
/// std::array<char, 16> key{};
/// text.resize(nopal::io::read(0, text));
/// nopal::io::read(0, key);
/// nopal::io::read(0, {key.data(), 4});
/// \endcode
///
/// A call reads as many bytes as there are at most: it makes no string and no vector longer.
/// Thread-safety: none; the bytes must stay until the call has ended.
class mutable_bytes {
 public:
  /// Makes one of the bytes of `x`, which the caller keeps.
  template <class T>
    requires detail::has_mutable_bytes<T>
  mutable_bytes(T&& x) noexcept : bytes_(detail::mutable_bytes_of(x)) {}
  /// Makes one of the `size` bytes at `data`.
  mutable_bytes(void* data, std::size_t size) noexcept
      : bytes_(static_cast<std::byte*>(data), size) {}

  operator std::span<std::byte>() const noexcept { return bytes_; }
  [[nodiscard]] std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::span<std::byte> bytes_;
};

/// Bytes that a call of nopal::io writes. They are the caller's, and are not copied.
///
/// Whatever converts to mutable_bytes converts to it, const or not, and so do mutable_bytes and a
/// std::string_view. A string literal, another array of const char, and a pointer to char are the
/// text up to its final zero, which does not count. An array a of char that is not const may be
/// such a text or bytes, so it does not convert: write std::string_view(a) or {a, n}. A pointer p
/// with a size n is written {p, n}.
/// \code
/// const std::vector<char> page(4096);
/// nopal::io::write(1, "Hello\n");
/// nopal::io::write(1, std::string_view("Hello\n"));
/// nopal::io::write(1, page);
/// nopal::io::write(1, {page.data(), 4});
/// \endcode
///
/// Thread-safety: none; the bytes must stay until the call has ended.
class const_bytes {
 public:
  /// Makes one of no bytes.
  const_bytes() noexcept = default;
  /// Makes one of the bytes of `x`, which the caller keeps.
  template <class T>
    requires detail::has_bytes<T>
  const_bytes(T&& x) noexcept : bytes_(detail::bytes_of(x)) {}
  /// Makes one of the same bytes.
  const_bytes(const mutable_bytes& b) noexcept : bytes_(std::span<std::byte>(b)) {}
  /// Makes one of the `size` bytes at `data`.
  const_bytes(const void* data, std::size_t size) noexcept
      : bytes_(static_cast<const std::byte*>(data), size) {}

  operator std::span<const std::byte>() const noexcept { return bytes_; }
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
