// SPDX-License-Identifier: Apache-2.0
// The handler of signals, and what it tells. docs/io.md has the argument.
#pragma once

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace nopal::detail {
#ifdef NOPAL_SERIAL
inline namespace serial_io {  // it has handlers and a list of its own
#endif

/// A set of signals, one bit each.
using signal_bits = std::uint64_t;

constexpr signal_bits bit_of_signal(int number) noexcept { return signal_bits{1} << (number - 1); }

/// The signals of this process that somebody waits for. There is one of these for a process, made
/// at the first use, and in a child of fork(2) anew. It is never destroyed, since a handler may be
/// running.
/// Thread-safety: add() and remove() are called under a lock of the caller's.
class signal_arrivals {
 public:
  static constexpr int most = 64;  ///< The largest number of a signal.

  /// \param before  that of the parent process, or nullptr.
  explicit signal_arrivals(signal_arrivals* before) noexcept : parent_(before) {
    ::sem_init(&come, 0, 0);
  }

  /// Returns that of this process, or what the parent has left, or nullptr.
  static signal_arrivals* newest() noexcept {
    // The acquire pairs with the release in begin().
    return newest_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_of_this_process() const noexcept { return process_ == ::getpid(); }
  /// Makes this what handlers find. In a child of fork(2) the signals that the parent receives do
  /// first what they did before: nobody here waits for them.
  void begin() noexcept {
    // Nobody else stores this one.
    if (newest_.load(std::memory_order_relaxed) == this) return;
    if (parent_ != nullptr) parent_->give_back();
    // The release pairs with the acquire in newest(): a handler sees the object as it was made.
    newest_.store(this, std::memory_order_release);
  }

  /// Has a signal tell this, if nobody has had it so far. Returns 0 or the error number.
  int add(int number) noexcept {
    if (number < 1 || number > most) return EINVAL;
    // A program cannot go on after these, except for one that was sent by kill(2).
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      if (number == fault) return EINVAL;
    entry& e = entries_[static_cast<unsigned>(number)];
    if (e.users == 0) {
      struct sigaction ours{};
      ours.sa_handler = handle;
      ours.sa_flags = SA_RESTART | SA_ONSTACK;
      if (::sigaction(number, &ours, &e.before) != 0) return errno;
    }
    ++e.users;
    return 0;
  }
  /// Undoes an add(). After the last one the signal does what it did before, unless the program has
  /// changed that meanwhile.
  void remove(int number) noexcept {
    entry& e = entries_[static_cast<unsigned>(number)];
    if (--e.users == 0) give_back(number);
  }

  /// Returns the signals that have come since the last call.
  signal_bits take() noexcept { return bits_.exchange(0, std::memory_order_relaxed); }

  sem_t come;  ///< It is raised after each signal.

 private:
  struct entry {
    unsigned users = 0;
    struct sigaction before{};
  };

  static bool is_ours(const struct sigaction& a) noexcept {
    return (a.sa_flags & SA_SIGINFO) == 0 && a.sa_handler == handle;
  }
  /// Has the signal do what it did before, if it has the handler.
  void give_back(int number) const noexcept {
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) == 0 && is_ours(now))
      ::sigaction(number, &entries_[static_cast<unsigned>(number)].before, nullptr);
  }
  void give_back() const noexcept {
    for (int number = 1; number <= most; ++number) give_back(number);
  }

  /// Runs on any thread, between any two instructions, and calls only what POSIX allows there.
  static void handle(int number) noexcept {
    const int error = errno;
    signal_arrivals* const at = newest();
    if (at->is_of_this_process()) {
      // These bits publish nothing else, and sem_post() orders them for whoever waits.
      at->bits_.fetch_or(bit_of_signal(number), std::memory_order_relaxed);
      ::sem_post(&at->come);
    } else {
      // A child of fork(2) does what the process did before.
      ::sigaction(number, &at->entries_[static_cast<unsigned>(number)].before, nullptr);
      ::raise(number);
    }
    errno = error;
  }

  inline static std::atomic<signal_arrivals*> newest_{nullptr};

  const pid_t process_ = ::getpid();
  signal_arrivals* const parent_;
  std::atomic<signal_bits> bits_{0};
  std::array<entry, most + 1> entries_;
};

#ifdef NOPAL_SERIAL
}  // namespace serial_io
#endif
}  // namespace nopal::detail
