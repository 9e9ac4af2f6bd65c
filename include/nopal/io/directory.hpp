// SPDX-License-Identifier: Apache-2.0
// What is in a directory.
#pragma once

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/detail/io/helper_call.hpp"
#include "nopal/detail/io/list_directory.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/io/directory_entry.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/task.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Returns what is in the directory, in the order in which the system tells it, without "." and
/// "..". A helper thread reads the directory while the strand is suspended.
/// \code
/// std::string sources;
/// for (const nopal::io::directory_entry& e : nopal::io::read_directory("/usr/include"))
///   if (e.kind == nopal::io::file_kind::regular && e.name.ends_with(".h")) sources += e.name +
///   '\n';
/// \endcode
///
/// Forms and limits are those of files.hpp. A limit ends the wait at once; the helper thread reads
/// on until it is through.
/// \param path  a std::string, a literal or a std::filesystem::path, of a directory or of a link to
/// one.
/// \throws std::system_error, whose message names the path.
/// Thread-safety: that of the system: names that come or go meanwhile may be missing or told.
/// Complexity: takes a lock, wakes a thread, and then is linear in the number of entries.
inline std::vector<directory_entry> read_directory(const std::string& path, std::error_code& error,
                                                   const limits& within = {}) {
  return detail::call_on_helper(detail::list_directory(path), error, within);
}
inline std::vector<directory_entry> read_directory(const std::string& path,
                                                   const limits& within = {}) {
  std::error_code error;
  std::vector<directory_entry> entries = read_directory(path, error, within);
  if (error) detail::throw_io_error("read_directory of '" + path + "'", error);
  return entries;
}
[[nodiscard]] inline task<std::vector<directory_entry>> async_read_directory(std::string path,
                                                                             std::error_code& error,
                                                                             limits within = {}) {
  return detail::async_call_on_helper(detail::list_directory(std::move(path)), error, within);
}
[[nodiscard]] inline task<std::vector<directory_entry>> async_read_directory(std::string path,
                                                                             limits within = {}) {
  std::error_code error;
  detail::list_directory list(path);
  auto entries = co_await detail::async_call_on_helper(std::move(list), error, within);
  if (error) detail::throw_io_error("read_directory of '" + path + "'", error);
  co_return entries;
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
