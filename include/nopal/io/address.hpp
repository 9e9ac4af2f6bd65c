// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/decimal.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// The address of a socket, of whatever family. resolve() makes it, and connect() takes it.
/// \code
/// for (const nopal::io::address& a : nopal::io::resolve("localhost", "http")) {
///   const int fd = ::socket(a.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
///   nopal::io::connect(fd, a);
///   nopal::io::close(fd);
/// }
/// \endcode
///
/// Thread-safety: that of an int.
class address {
 public:
  /// Makes the address of no socket.
  address() noexcept = default;
  /// Copies an address of `size` bytes, and no more than there is in a sockaddr_storage.
  address(const sockaddr* from, socklen_t size) noexcept
      : size_(std::min<socklen_t>(size, sizeof storage_)) {
    std::memcpy(&storage_, from, size_);
  }

  /// The address as functions of the system take it, such as bind(2).
  [[nodiscard]] const sockaddr* data() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage_);
  }
  [[nodiscard]] socklen_t size() const noexcept { return size_; }
  /// The first argument of socket(2): AF_INET, AF_INET6, or another one.
  [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
  /// The port, in the order of the processor. 0 if the family has no ports.
  [[nodiscard]] unsigned port() const noexcept {
    if (family() == AF_INET) return ntohs(as<sockaddr_in>().sin_port);
    return family() == AF_INET6 ? ntohs(as<sockaddr_in6>().sin6_port) : 0U;
  }
  /// The address and the port in numbers, such as "127.0.0.1:80" or "[::1]:80". Empty if the family
  /// is not of the internet.
  [[nodiscard]] std::string text() const {
    std::array<char, INET6_ADDRSTRLEN> numbers{};
    if (family() == AF_INET) {
      const sockaddr_in a = as<sockaddr_in>();
      ::inet_ntop(AF_INET, &a.sin_addr, numbers.data(), numbers.size());
      return std::string(numbers.data()) + ":" + detail::decimal(port());
    }
    if (family() != AF_INET6) return {};
    const sockaddr_in6 a = as<sockaddr_in6>();
    ::inet_ntop(AF_INET6, &a.sin6_addr, numbers.data(), numbers.size());
    return "[" + std::string(numbers.data()) + "]:" + detail::decimal(port());
  }
  bool operator==(const address& other) const noexcept {
    return size_ == other.size_ && std::memcmp(&storage_, &other.storage_, size_) == 0;
  }

 private:
  template <class T>
  [[nodiscard]] T as() const noexcept {
    T a{};
    std::memcpy(&a, &storage_, sizeof a);
    return a;
  }

  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
