// SPDX-License-Identifier: Apache-2.0
// The addresses that a name stands for.
#pragma once

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/detail/io/helper_call.hpp"
#include "nopal/detail/io/look_up.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/io/address.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/task.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Returns the category of errors of resolve(). The values are those of getaddrinfo(3), such as
/// EAI_NONAME, the messages those of gai_strerror(3).
/// \code
/// std::error_code error;
/// std::vector<nopal::io::address> found = nopal::io::resolve("localhost", "http", error);
/// if (error.category() == nopal::io::resolve_category()) std::puts(error.message().c_str());
/// \endcode
///
/// Thread-safety: any thread may call it.
#ifdef NOPAL_SERIAL
inline const std::error_category& resolve_category() noexcept {
  static const detail::resolve_errors category;
  return category;
}
#else
const std::error_category& resolve_category() noexcept;
#endif

/// Returns the addresses of a service on a host, the best one first, for sockets of the type
/// SOCK_STREAM. A helper thread asks the C library while the strand is suspended.
/// \code
/// const std::vector<nopal::io::address> all =
///     nopal::io::resolve("localhost", "80", std::chrono::seconds(5));
/// const std::string first = all.front().text();
/// \endcode
///
/// Forms and limits are those of files.hpp. A limit ends the wait at once; the helper thread goes
/// on until the C library has its answer.
/// \param host  a name, or an address in numbers. If it is empty, the addresses are those to listen
/// at, for bind(2).
/// \param service  a name such as "http", or a port in decimal digits.
/// \throws std::system_error, whose message names host and service. Its category is
/// resolve_category() if the C library finds nothing.
/// Thread-safety: any thread may call it.
/// Complexity: takes a lock, wakes a thread, and may wait for servers on other machines.
inline std::vector<address> resolve(const std::string& host, const std::string& service,
                                    std::error_code& error, const limits& within = {}) {
  return detail::call_on_helper(detail::look_up(host, service), error, within);
}
inline std::vector<address> resolve(const std::string& host, const std::string& service,
                                    const limits& within = {}) {
  std::error_code error;
  std::vector<address> found = resolve(host, service, error, within);
  if (error) detail::throw_io_error("resolve of '" + host + "' and '" + service + "'", error);
  return found;
}
[[nodiscard]] inline task<std::vector<address>> async_resolve(std::string host, std::string service,
                                                              std::error_code& error,
                                                              limits within = {}) {
  return detail::async_call_on_helper(detail::look_up(std::move(host), std::move(service)), error,
                                      within);
}
[[nodiscard]] inline task<std::vector<address>> async_resolve(std::string host, std::string service,
                                                              limits within = {}) {
  std::error_code error;
  detail::look_up look(host, service);
  auto found = co_await detail::async_call_on_helper(std::move(look), error, within);
  if (error) detail::throw_io_error("resolve of '" + host + "' and '" + service + "'", error);
  co_return found;
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
