// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "platform/threads/kept_for_thread.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/overflow.hpp"
#include "strand/stack.hpp"

namespace nopal::detail {

/// The own stack of a thread that is no worker, which it lends to a runtime: what runs there is a
/// strand meanwhile. While that strand is elsewhere, the thread is on a stack beside it. The object
/// lives as long as the thread, so that a frame may know the stack as its home over several times
/// that it is lent.
class lent_stack : public stack, public kept_for_thread {
 public:
  /// Returns that of the calling thread, which has it from its first call to its end.
  /// \throws std::system_error, std::bad_alloc
  static lent_stack& of_this_thread();

  /// Whether the calling thread is the one that lends this.
  [[nodiscard]] bool is_of_this_thread() const noexcept;

  /// Lends the stack: the calling thread becomes a guest of `s` and goes on. Returns false, and has
  /// done nothing, if `s` takes no guest now.
  bool lend_to_guest(scheduler& s) noexcept;

  /// Lends the stack: returns on a worker of `s`. The thread waits meanwhile.
  void lend_to_worker(scheduler& s) noexcept;

  /// Takes the stack back: returns on its thread, which is no worker any more.
  void take_back() noexcept;

  [[nodiscard]] scheduler& lent_to() const noexcept { return *lent_to_; }

  ~lent_stack() override;

 private:
  struct bounds;
  explicit lent_stack(const bounds& b);
  void thread_ends() noexcept override;

  static void serve(void* self);
  void wait_beside() noexcept;
  void leave_to(const context& c) noexcept;
  static bool is_back(const void* self) noexcept;
  static suspension* announce_return(void* self) noexcept;
  static waiter* returned() noexcept { return reinterpret_cast<waiter*>(1); }

  std::optional<signal_stack> handles_overflow_;
  stack* beside_;   ///< The stack that the thread is on while its own is away.
  context parked_;  ///< The thread there, as long as it is on its own stack.
  guest_thread as_guest_;
  bool serves_ = false;  ///< Whether the thread has gone there since it lent its own.
  scheduler* lent_to_ = nullptr;
  scheduler_worker* guest_ = nullptr;  ///< What the thread runs as a guest.
  suspension there_;                   ///< The strand on its way to a worker.
  suspension back_;                    ///< The strand on its way back.
  /// nullptr, or the thread, which sleeps until the strand is back, or `returned`.
  std::atomic<waiter*> thread_{nullptr};
};

}  // namespace nopal::detail
