// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>

namespace nopal {

/// A wait throws this when a stop is requested. Its code is std::errc::operation_canceled.
/// \code
/// std::stop_source source;
/// nopal::channel<int> ch;
/// source.request_stop();
/// try {
///   std::optional<int> v = ch.receive(source.get_token());
/// } catch (const nopal::stopped&) {
/// }
/// \endcode
class stopped : public std::system_error {
 public:
  /// \param what  the wait that ends.
  explicit stopped(const char* what)
      : std::system_error(std::make_error_code(std::errc::operation_canceled), what) {}
};

}  // namespace nopal
