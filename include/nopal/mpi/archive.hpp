// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs
#include "nopal/mpi/error.hpp"

namespace nopal::mpi {

/// What travels between ranks.
using bytes = std::vector<std::byte>;

class output_archive;
class input_archive;

/// Values that say themselves what they are made of.
template <class T, class Archive>
concept serializes_itself = requires(T& t, Archive& a) { t.serialize(a); };

/// Whether an archive takes values of a type.
template <class T>
inline constexpr bool is_archivable = serializes_itself<T, output_archive> ||
                                      (std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
template <>
inline constexpr bool is_archivable<std::string> = true;
template <class T>
inline constexpr bool is_archivable<std::vector<T>> = is_archivable<T>;
template <class T, std::size_t N>
inline constexpr bool is_archivable<std::array<T, N>> = is_archivable<T>;
template <class A, class B>
inline constexpr bool is_archivable<std::pair<A, B>> = is_archivable<A> && is_archivable<B>;
template <class... T>
inline constexpr bool is_archivable<std::tuple<T...>> = (is_archivable<T> && ...);
template <class T>
inline constexpr bool is_archivable<std::optional<T>> = is_archivable<T>;

}  // namespace nopal::mpi

namespace nopal::detail::mpi {

/// Whether elements of a vector travel as their bytes, all at once.
template <class T>
inline constexpr bool is_plain =
    std::is_trivially_copyable_v<T> && !std::same_as<T, bool> && nopal::mpi::is_archivable<T> &&
    !nopal::mpi::serializes_itself<T, nopal::mpi::output_archive>;
template <class T, std::size_t N>
inline constexpr bool is_plain<std::array<T, N>> = is_plain<T>;

}  // namespace nopal::detail::mpi

namespace nopal::mpi {

/// Turns values into bytes. input_archive turns them back, in the same order, on a machine of the
/// same kind.
///
/// An archive takes what is trivially copyable, except pointers; std::string, std::vector,
/// std::array, std::pair, std::tuple and std::optional of what it takes; and classes with a
/// function that hands on their members, to either archive:
/// \code
/// struct route {
///   std::vector<int> cities;
///   double length;
///   template <class Archive>
///   void serialize(Archive& a) {
///     a(cities, length);
///   }
/// };
/// nopal::mpi::bytes sent(const route& r) { return nopal::mpi::output_archive()(r).take(); }
/// \endcode
class output_archive {
 public:
  template <class... T>
  output_archive& operator()(const T&... values) {
    (put(values), ...);
    return *this;
  }

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  /// Returns the bytes, of which the archive then has none.
  [[nodiscard]] bytes take() noexcept { return std::exchange(bytes_, {}); }

 private:
  void put_bytes(const void* from, std::size_t n) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + n);
  }

  template <class T>
  void put(const T& value) {
    if constexpr (serializes_itself<T, output_archive>) {
      const_cast<T&>(value).serialize(*this);  // it only reads, but serves both archives
    } else {
      static_assert(!std::is_pointer_v<T>, "nopal: a pointer means nothing to another rank");
      static_assert(std::is_trivially_copyable_v<T>,
                    "nopal: what is sent to another rank must be trivially copyable, a standard "
                    "container, or have a member function template serialize(archive)");
      put_bytes(&value, sizeof value);
    }
  }
  void put(const std::string& s) {
    put(std::uint64_t{s.size()});
    put_bytes(s.data(), s.size());
  }
  template <class T>
  void put(const std::vector<T>& v) {
    put(std::uint64_t{v.size()});
    if constexpr (detail::mpi::is_plain<T>)
      put_bytes(v.data(), v.size() * sizeof(T));
    else
      for (const T& x : v) put(x);
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& a) {
    for (const T& x : a) put(x);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& p) {
    put(p.first);
    put(p.second);
  }
  template <class... T>
  void put(const std::tuple<T...>& t) {
    std::apply([&](const T&... x) { (put(x), ...); }, t);
  }
  template <class T>
  void put(const std::optional<T>& o) {
    put(o.has_value());
    if (o) put(*o);
  }

  bytes bytes_;
};

/// Turns bytes back into values.
class input_archive {
 public:
  /// \param from  lives as long as the archive.
  explicit input_archive(const bytes& from) noexcept : from_(from) {}

  /// \throws nopal::mpi::error if there are too few bytes.
  template <class... T>
  input_archive& operator()(T&... values) {
    (get(values), ...);
    return *this;
  }

  [[nodiscard]] bool at_end() const noexcept { return at_ == from_.size(); }

  /// Returns a value.
  template <class T>
  [[nodiscard]] T next() {
    if constexpr (std::is_default_constructible_v<T>) {
      T value{};
      get(value);
      return value;
    } else {
      static_assert(std::is_trivially_copyable_v<T>,
                    "nopal: what comes from another rank must have a default constructor");
      alignas(T) std::byte memory[sizeof(T)];
      get_bytes(memory, sizeof(T));
      return *reinterpret_cast<T*>(memory);
    }
  }

 private:
  void get_bytes(void* to, std::size_t n) {
    if (n > from_.size() - at_) throw error("nopal: a message from another rank is too short");
    if (n != 0) std::memcpy(to, from_.data() + at_, n);
    at_ += n;
  }
  /// Returns the length of a container, whose elements have so many bytes at least.
  std::size_t length(std::size_t bytes_of_one) {
    std::uint64_t n = 0;
    get(n);
    if (n > (from_.size() - at_) / bytes_of_one)
      throw error("nopal: a message from another rank is too short");
    return static_cast<std::size_t>(n);
  }

  template <class T>
  void get(T& value) {
    if constexpr (serializes_itself<T, input_archive>) {
      value.serialize(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                    "nopal: see output_archive");
      get_bytes(&value, sizeof value);
    }
  }
  void get(std::string& s) {
    s.resize(length(1));
    get_bytes(s.data(), s.size());
  }
  template <class T>
  void get(std::vector<T>& v) {
    if constexpr (detail::mpi::is_plain<T>) {
      v.resize(length(sizeof(T)));
      get_bytes(v.data(), v.size() * sizeof(T));
    } else {
      const std::size_t n = length(1);
      v.clear();
      for (std::size_t i = 0; i < n; ++i) v.push_back(next<T>());
    }
  }
  template <class T, std::size_t N>
  void get(std::array<T, N>& a) {
    for (T& x : a) get(x);
  }
  template <class A, class B>
  void get(std::pair<A, B>& p) {
    get(p.first);
    get(p.second);
  }
  template <class... T>
  void get(std::tuple<T...>& t) {
    std::apply([&](T&... x) { (get(x), ...); }, t);
  }
  template <class T>
  void get(std::optional<T>& o) {
    o.reset();
    if (next<bool>()) o.emplace(next<T>());
  }

  const bytes& from_;
  std::size_t at_ = 0;
};

}  // namespace nopal::mpi
