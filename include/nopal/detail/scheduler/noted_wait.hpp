// SPDX-License-Identifier: Apache-2.0
// A checking build notes what waits for an object of the program, and names it if nobody lets it go
// on. docs/reference.md, "Find misuse", describes it.
#pragma once

#include "nopal/detail/platform/config.hpp"

#ifdef NOPAL_CHECK
#include <chrono>
#include <cstddef>
#endif

namespace nopal::detail {

#ifdef NOPAL_CHECK

class noted_waits;

/// A note that lies beside what waits, from before the wait until behind it.
class noted_wait {
 public:
  /// The reason of a wait. `object` is the one that the program knows.
  struct reason {
    /// Writes what `object` waits for, as the end of a sentence.
    void (*describe)(const void* object, char* text, std::size_t bytes) noexcept;
    const void* object;
  };

  noted_wait() noexcept = default;
  explicit noted_wait(const reason& r) noexcept { begin(r); }
  ~noted_wait() { end(); }
  noted_wait(const noted_wait&) = delete;
  noted_wait& operator=(const noted_wait&) = delete;

  void begin(const reason& r) noexcept;
  void end() noexcept;

 private:
  friend class noted_waits;

  reason reason_{};
  noted_waits* in_ = nullptr;  ///< The list that this lies in.
  noted_wait* next_ = nullptr;
  noted_wait** link_ = nullptr;  ///< Points to this.
  std::chrono::steady_clock::time_point since_;
  bool said_ = false;
};

/// While this lives, the system may let a strand go on, from outside of the runtimes.
class expected_event {
 public:
  expected_event() noexcept;
  ~expected_event();
  expected_event(const expected_event&) = delete;
  expected_event& operator=(const expected_event&) = delete;

 private:
  noted_waits* in_;
};

#else

struct expected_event {};

#endif

}  // namespace nopal::detail
