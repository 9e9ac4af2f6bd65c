// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <set>

#include "nopal/detail/io/request.hpp"

namespace nopal::detail {

/// The requests to which something happens at a moment, in the order of these moments. The lock of
/// the backend guards them.
/// Complexity: logarithmic in their number.
class io_timers {
 public:
  using moment = std::chrono::steady_clock::time_point;

  /// Adds `r`, to which something happens at `due`. Returns whether it is the first of all now.
  /// \throws std::bad_alloc
  bool add(io_request& r, moment due) {
    r.due = due;
    all_.insert(&r);
    r.timed = true;
    return *all_.begin() == &r;
  }
  /// Takes `r` out, if it is in.
  void remove(io_request& r) noexcept {
    if (!r.timed) return;
    all_.erase(&r);
    r.timed = false;
  }
  /// Returns the first one, or nullptr.
  [[nodiscard]] io_request* first() const noexcept {
    return all_.empty() ? nullptr : *all_.begin();
  }

 private:
  struct earlier {
    bool operator()(const io_request* a, const io_request* b) const noexcept {
      return a->due != b->due ? a->due < b->due : std::less<>()(a, b);
    }
  };

  std::set<io_request*, earlier> all_;
};

}  // namespace nopal::detail
