// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // functions that differ from the library's need other linker names
#endif

/// A hint for task_scope::spawn(): the function is to run on a certain worker, whose caches may
/// hold what it needs, if that worker is free soon; else on any.
/// \code
/// nopal::task_scope s;
/// s.spawn(nopal::near(0), [] {});
/// s.join();
/// \endcode
/// Source: affinity hints, Pfeiffer 2020, section 2.4.
struct near {
  /// \param worker  index of a worker of the scope's runtime, from 0.
  explicit constexpr near(unsigned worker) noexcept : index(worker) {}
  unsigned index;
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
