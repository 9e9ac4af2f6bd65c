// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <cstring>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// What the C++ runtime keeps for each thread about exceptions, and what must move with a strand
/// that changes threads: the chain of caught exceptions and the number of uncaught ones (Itanium
/// C++ ABI, exception handling, section 2.2.2). Saving it copies the head of the chain: strands
/// that were forked inside a catch block share its tail.
struct exception_state {
  void* caught;
  unsigned int uncaught;

  /// Returns the state of the calling thread. Its address is good for the life of the thread, so
  /// workers keep it.
  static exception_state* of_this_thread() noexcept {
    return reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
  }
};

/// Copies the two words that the ABI defines. They are copied as bytes, because the C++ runtime
/// gives one of the two a type of its own. The fork path can afford no more than one move of
/// sixteen bytes.
inline void assign(exception_state* to, const exception_state* from) noexcept {
  std::memcpy(to, from, sizeof *to);
}

/// Returns true only if no exception is caught and none is on its way. The state is read as bytes
/// here as well, and all of them must be 0. Those that the ABI does not define are never written,
/// and if they were, the answer would be false.
NOPAL_ALWAYS_INLINE bool is_empty(const exception_state* s) noexcept {
  std::uint64_t halves[2];
  static_assert(sizeof *s == sizeof halves);
  std::memcpy(halves, s, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

}  // namespace nopal::detail
