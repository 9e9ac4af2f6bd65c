// SPDX-License-Identifier: Apache-2.0
// A thread hands signals on from their handler to the sets, since a handler may take no lock.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "nopal/detail/io/signals/signal_set.hpp"
#include "nopal/detail/platform/decimal.hpp"
#include "platform/signals_blocked.hpp"
#include "platform/threads/service_thread.hpp"

namespace nopal::detail {
namespace {

/// The sets of this process, and the thread that serves them, which runs while there is one.
class signal_sets {
 public:
  /// Returns that of this process. A child of fork(2) leaves the locks of its parent alone.
  static signal_sets& of_this_process() {
    for (;;) {
      // The acquire pairs with the compare-and-swap below.
      signal_sets* known = newest.load(std::memory_order_acquire);
      if (known != nullptr && known->arrivals_.is_of_this_process()) return *known;
      auto fresh = std::make_unique<signal_sets>(signal_arrivals::newest());
      fresh->before_ = known;
      // The release pairs with the acquires of the next callers.
      if (newest.compare_exchange_strong(known, fresh.get(), std::memory_order_release,
                                         std::memory_order_relaxed))
        return *fresh.release();
    }
  }
  /// Whether `which` is what of_this_process() has returned in this process.
  static bool is_of_this_process(const void* which) noexcept {
    // If it is `which`, the caller has had it from of_this_process() and knows what it points to.
    const signal_sets* known = newest.load(std::memory_order_relaxed);
    return known == which && known->arrivals_.is_of_this_process();
  }

  explicit signal_sets(signal_arrivals* parent) noexcept : arrivals_(parent) {
    ::sem_init(&masked_, 0, 0);
  }

  /// Has signals come to the set. Returns 0, or the error number and the number of the signal.
  int add(signal_set& s, std::span<const int> numbers, std::optional<int>& failed) noexcept {
    const std::lock_guard held(changes_);
    if (users_ == 0) {
      arrivals_.begin();
      ends_ = false;     // there is no thread yet that reads it
      arrivals_.take();  // what came after the last set
      const int error = start_service_thread(thread_, thread_main, this);
      if (error != 0) return error;
    }
    ++users_;
    {
      const std::lock_guard listed(list_lock_);
      all_.push_back(s);
    }
    signal_bits added = 0;
    for (const int n : numbers) {
      if (n >= 1 && n <= signal_arrivals::most && (added & bit_of_signal(n)) != 0) continue;
      if (const int error = arrivals_.add(n)) {
        failed = n;
        take_out(s, added);
        return error;
      }
      added |= bit_of_signal(n);
    }
    {
      const std::lock_guard listed(list_lock_);
      taken_ |= added;
    }
    ::sem_post(&arrivals_.come);  // the thread lets the new signals come to itself
    return 0;
  }
  void remove(signal_set& s) noexcept {
    const std::lock_guard held(changes_);
    take_out(s, s.all());
  }

 private:
  void take_out(signal_set& s, signal_bits added) noexcept {
    {
      const std::lock_guard listed(list_lock_);
      s.unlink();
      taken_ = signals_of_sets();
      ends_ = --users_ == 0;
      is_mask_awaited_ = !ends_;
    }
    // The thread does not block these signals yet. What they did before may end the process.
    ::sem_post(&arrivals_.come);
    if (users_ == 0)
      ::pthread_join(thread_, nullptr);
    else
      wait_for(masked_);
    for (signal_bits left = added; left != 0; left &= left - 1)
      arrivals_.remove(std::countr_zero(left) + 1);
  }
  [[nodiscard]] signal_bits signals_of_sets() noexcept {
    signal_bits all = 0;
    for (list_links* l = all_.first(); l != nullptr; l = all_.after(*l))
      all |= static_cast<signal_set&>(*l).all();
    return all;
  }
  static void wait_for(sem_t& s) noexcept {
    while (::sem_wait(&s) != 0 && errno == EINTR) {
    }
  }

  static void* thread_main(void* self) {
    become_service_thread("nopal-signals");
    static_cast<signal_sets*>(self)->serve();
    return nullptr;
  }
  /// Hands signals on until the last set has gone. This is the whole of the thread.
  void serve() noexcept {
    for (;;) {
      wait_for(arrivals_.come);
      const signal_bits come = arrivals_.take();
      const std::lock_guard listed(list_lock_);
      if (ends_) return;
      for (list_links* l = all_.first(); l != nullptr; l = all_.after(*l))
        static_cast<signal_set&>(*l).post(come);
      take_signals(taken_);
      if (std::exchange(is_mask_awaited_, false)) ::sem_post(&masked_);
    }
  }
  /// Lets these signals of the program, and no others, come to the calling thread: there is one
  /// that does not block them, whatever the others block.
  static void take_signals(signal_bits wanted) noexcept {
    sigset_t blocked = signals_blocked::all_of_program();
    for (; wanted != 0; wanted &= wanted - 1) ::sigdelset(&blocked, std::countr_zero(wanted) + 1);
    ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  }

  static std::atomic<signal_sets*> newest;

  signal_arrivals arrivals_;
  std::mutex changes_;  ///< Held while sets come and go. It guards `users_` and the thread.
  unsigned users_ = 0;
  pthread_t thread_{};
  std::mutex list_lock_;  ///< It guards what follows. The thread takes no other of these.
  intrusive_list all_;
  signal_bits taken_ = 0;  ///< Those that have the handler, of all sets. The thread takes them.
  bool ends_ = false;
  bool is_mask_awaited_ = false;
  sem_t masked_;  ///< It is raised when the thread blocks the signals of a set that has gone.
  signal_sets* before_ = nullptr;  ///< The sets of the parent, in reach of leak checkers.
};

std::atomic<signal_sets*> signal_sets::newest{nullptr};

}  // namespace

signal_set::signal_set(std::span<const int> numbers) {
  for (const int n : numbers)
    if (n >= 1 && n <= signal_arrivals::most) all_ |= bit_of_signal(n);
  signal_sets& sets = signal_sets::of_this_process();
  process_ = &sets;
  std::optional<int> failed;
  if (const int error = sets.add(*this, numbers, failed))
    throw std::system_error(error, std::system_category(),
                            failed ? "nopal::io::signals: signal " + decimal(*failed)
                                   : "nopal::io::signals: no thread can be started");
}

signal_set::~signal_set() {
  // A child of fork(2) has none of this, and does not know who held the locks.
  if (signal_sets::is_of_this_process(process_)) static_cast<signal_sets*>(process_)->remove(*this);
}

void signal_set::post(signal_bits come) noexcept {
  taken_offers served;
  {
    const std::lock_guard held(lock_);
    pending_ |= come & all_;
    while (pending_ != 0) {
      offer* const first = receivers_.take();
      if (first == nullptr) break;
      static_cast<signal_case&>(*first).into->emplace(std::countr_zero(pending_) + 1);
      pending_ &= pending_ - 1;
      served.add(*first);
    }
  }
  served.complete();
}

}  // namespace nopal::detail
