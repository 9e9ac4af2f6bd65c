// SPDX-License-Identifier: Apache-2.0
// The one place that says what moves with a strand from thread to thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/fp_control.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/exception_state.hpp"
#include "nopal/detail/strand/strand_views.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// What moves with a strand from thread to thread, besides the registers in its context.
///
/// Everything that starts, stops or continues a strand holds one of these and calls its functions:
/// a component that wants something else to move with a strand adds a member here and says in these
/// functions what becomes of it. The offsets are known to the assembly in fork_call.hpp.
struct alignas(16) strand_state {
  exception_state exceptions;
  fp_control fp;
#if defined(__x86_64__)
  std::uint32_t x87_at_fork;  ///< 16 bits, written by fork_call(). See stolen().
#endif
  /// The views of the segment that the strand is in. A fork does not write this.
  strand_views* views;
  /// The scope that the strand is in, if it is known. A fork does not write this: the deque knows
  /// in which scope each of its elements was pushed.
  stop_scope* scope;

  /// Returns the state of the calling thread, for a strand that is to begin as if it were a call
  /// made here.
  static strand_state of_caller() noexcept {
    strand_state s{};
    s.note_stop(exception_state::of_this_thread());
    return s;
  }

  /// Notes what a thief needs to go on behind a fork that the strand of `w` makes. This is the fork
  /// path, so whatever the thief can find out is left to stolen().
  NOPAL_ALWAYS_INLINE void note_fork(const worker& w) noexcept {
    assign(&exceptions, w.exceptions);
#if defined(__x86_64__)
    fp = w.strand_fp_control.load(std::memory_order_relaxed);
#endif
  }

  /// Makes the state what it was at the noted fork. The thief calls this.
  ///
  /// MXCSR takes long to read. So on x86-64 a fork notes x87's control word, and in `fp` the words
  /// with which its strand began or last went on. What <cfenv> has set since then, rounding mode
  /// and masks, it has set in both words. What was set in MXCSR alone is lost: how denormal numbers
  /// are treated, and flags. On aarch64 FPCR is read at the fork.
  ///
  /// The thief begins a segment of its own, without views, in the scope that the deque has noted.
  void stolen() noexcept {
    views = nullptr;
    scope = nullptr;
#if defined(__x86_64__)
    constexpr std::uint32_t masks = 0x003f;
    constexpr std::uint32_t rounding = 0x0c00;
    // MXCSR has the same bits so many places further to the left.
    constexpr unsigned masks_in_mxcsr = 7;
    constexpr unsigned rounding_in_mxcsr = 3;
    const auto in_mxcsr = [](std::uint32_t x87) {
      return (x87 & masks) << masks_in_mxcsr | (x87 & rounding) << rounding_in_mxcsr;
    };
    const std::uint32_t now = x87_at_fork & 0xffff;
    const std::uint32_t changed = in_mxcsr(now ^ fp.x87);
    fp = {(fp.mxcsr & ~changed) | (in_mxcsr(now) & changed), now};
#endif
  }

  /// Notes the state of the strand that stops here, or is left, on the thread of
  /// `exceptions_of_thread`.
  void note_stop(const exception_state* exceptions_of_thread) noexcept {
    assign(&exceptions, exceptions_of_thread);
    fp = current_fp_control();
    views = views_of_strand();
    scope = current_scope();
  }

  /// Makes this the state of the calling thread, which is no worker: the strand goes on there.
  void go_on_here() const noexcept {
    assign(exception_state::of_this_thread(), &exceptions);
    load_fp_control(fp);
    set_views_of_strand(views);
    set_scope_of_thread(scope);
  }

  /// Makes this, except for the scope, the state of the thread of `w`: the strand begins or goes on
  /// there.
  void go_on(worker& w) const noexcept {
    assign(w.exceptions, &exceptions);
    w.strand_fp_control.store(fp, std::memory_order_relaxed);
    load_fp_control(fp);
    set_views_of_strand(views);
  }
};

/// What the fork of a closure notes. A thief starts the closure as a strand of its own, so it needs
/// less than a function that goes on in its middle.
struct alignas(16) fork_state {
  union {
    exception_state exceptions;  ///< Set only if the strand has some.
    /// Set once the thief has ended: only its start needs the exceptions.
    strand_views* views_of_thief;
  };

  /// Notes nothing. This is the fork path: if the strand has no exceptions, it writes nothing.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  NOPAL_ALWAYS_INLINE fork_state() noexcept {}

  /// Notes the exceptions of the strand of `w`, in one move of sixteen bytes.
  NOPAL_ALWAYS_INLINE explicit fork_state(const worker& w) noexcept {
    assign(&exceptions, w.exceptions);
  }

  /// Returns the state with which the closure begins on a thief if the exceptions were noted, with
  /// the control words `fp`.
  [[nodiscard]] strand_state stolen(const fp_control& fp) const noexcept {
    strand_state s = stolen_without_exceptions(fp);
    s.exceptions = exceptions;
    return s;
  }

  /// Returns the state with which the closure begins on a thief if there were no exceptions.
  [[nodiscard]] static strand_state stolen_without_exceptions(const fp_control& fp) noexcept {
    strand_state s{};
    s.fp = fp;
    return s;
  }

  /// Leaves the views of the thief, which has come to its end, to the strand that goes on.
  void thief_ends() noexcept { views_of_thief = take_views_of_strand(); }
};

}  // namespace nopal::detail
