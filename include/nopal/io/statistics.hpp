// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// Says what nopal::io has done in this process. io::stats() returns it.
/// \code
/// const nopal::io::statistics now = nopal::io::stats();
/// const bool fast = now.ring;
/// \endcode
struct statistics {
  /// Whether io_uring is in use. If not, a poller and helper threads do its work: the library was
  /// built without liburing, the system refuses it, or the environment variable NOPAL_IO is
  /// "threads". False until the first call that has to wait.
  bool ring = false;
  /// Calls that had to wait so far.
  std::uint64_t waits = 0;
  /// Helper threads there are now.
  std::size_t helper_threads = 0;
  /// Times that a worker with nothing else to do has found events, and so spared the poller's
  /// thread.
  std::uint64_t looks = 0;
};

/// Returns a snapshot. Any thread may call it.
#ifdef NOPAL_SERIAL
inline statistics stats() noexcept { return {}; }
#else
[[nodiscard]] statistics stats() noexcept;
#endif

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
