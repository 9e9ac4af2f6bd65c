// SPDX-License-Identifier: Apache-2.0
// This says which parts of a range are too short to be forked. It decides about time alone, and
// never about a result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/platform/ticks.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The rate of a range that is cut by halves into blocks of a fixed length. If half a microsecond
/// is enough for a part at the rate of what ran last, nobody gains by stealing it, so it is not
/// forked. The rate says nothing about elements that have not run: no part of more than an eighth
/// of all elements goes without forks. With a grain given by hand every block is forked. The serial
/// elision, where a fork is a call, asks for no rate.
///
/// All strands of the algorithm share this. Nothing is ordered by it: what it says may be out of
/// date.
class pace {
 public:
  pace(std::size_t by_hand, std::ptrdiff_t n, std::ptrdiff_t grain) noexcept
      : grain_(grain), most_(is_serial || by_hand != 0 ? 0 : n / 8) {}

  [[nodiscard]] bool is_too_short(part p) const noexcept {
    return p.size() <= too_short_.load(std::memory_order_relaxed);
  }

  /// Returns f(), which runs what is in a part, and notes how long that took.
  template <class F>
  decltype(auto) timed(part p, const F& f) {
    struct timer {
      pace& self;
      part of;
      std::uint64_t begun = detail::ticks();
      ~timer() { self.note(of.size(), detail::ticks() - begun); }
    } t{*this, p};
    return f();
  }

  /// Does the same for one block, but takes the time only as long as no part is known to be too
  /// short: then blocks are long, or have not run yet.
  template <class F>
  decltype(auto) timed_block(part p, const F& f) {
    if (most_ == 0 || is_too_short({0, 2 * grain_})) return f();
    return timed(p, f);
  }

 private:
#ifdef NOPAL_SERIAL
  static constexpr bool is_serial = true;
#else
  static constexpr bool is_serial = false;
#endif

  /// Writes only what has changed by much, since each write takes the cache line from all others.
  void note(std::ptrdiff_t elements, std::uint64_t taken) noexcept {
    const auto fit = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(elements) *
                                                 (detail::ticks_of_five_microseconds() / 10) /
                                                 (taken == 0 ? 1 : taken));
    const std::ptrdiff_t now = fit < most_ ? fit : most_;
    const std::ptrdiff_t before = too_short_.load(std::memory_order_relaxed);
    if (now < before / 2 || now > 2 * before) too_short_.store(now, std::memory_order_relaxed);
  }

  std::ptrdiff_t grain_;
  std::ptrdiff_t most_;
  std::atomic<std::ptrdiff_t> too_short_{0};
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
