// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/io/address.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {
const std::error_category& resolve_category() noexcept;
}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif

namespace detail {
#ifdef NOPAL_SERIAL
inline namespace serial_io {  // its addresses are those of the serial elision
#endif

/// The errors of getaddrinfo(3).
class resolve_errors : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "nopal::io::resolve"; }
  [[nodiscard]] std::string message(int error) const override { return ::gai_strerror(error); }
  [[nodiscard]] std::error_condition default_error_condition(int error) const noexcept override {
    if (error == EAI_MEMORY) return std::errc::not_enough_memory;
    if (error == EAI_AGAIN) return std::errc::resource_unavailable_try_again;
    if (error == EAI_FAMILY) return std::errc::address_family_not_supported;
    return {error, *this};
  }
};

/// Looks the addresses of a service up.
struct look_up {
  look_up(std::string h, std::string s) noexcept : host(std::move(h)), service(std::move(s)) {}

  std::string host;
  std::string service;

  std::vector<io::address> operator()(std::error_code& error) const {
    addrinfo asked{};
    asked.ai_socktype = SOCK_STREAM;  // else each address would come once for each type
    asked.ai_flags = AI_PASSIVE;      // it counts if there is no host
    addrinfo* found = nullptr;
    const int n =
        ::getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &asked, &found);
    if (n != 0) {
      error = n == EAI_SYSTEM ? std::error_code(errno, std::system_category())
                              : std::error_code(n, io::resolve_category());
      return {};
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    std::vector<io::address> addresses;
    for (const addrinfo* a = found; a != nullptr; a = a->ai_next)
      addresses.emplace_back(a->ai_addr, a->ai_addrlen);
    return addresses;
  }
};

#ifdef NOPAL_SERIAL
}  // namespace serial_io
#endif
}  // namespace detail
}  // namespace nopal
