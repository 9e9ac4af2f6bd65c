// SPDX-License-Identifier: Apache-2.0
#include "wait/timers.hpp"

#include <bit>
#include <climits>
#include <ctime>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "nopal/detail/wait/events.hpp"
#include "platform/futex.hpp"
#include "platform/process_generation.hpp"
#include "platform/threads/service_thread.hpp"
#include "platform/unloading/at_unloading.hpp"

namespace nopal::detail {
namespace {

using moment = std::chrono::steady_clock::time_point;

/// A tick has 2^15 nanoseconds. The kernel itself adds 50,000 to the sleep of a thread.
constexpr unsigned tick_shift = 15;

std::uint64_t ticks_until(moment m) noexcept {
  return static_cast<std::uint64_t>(m.time_since_epoch().count()) >> tick_shift;
}
std::uint64_t tick_now() noexcept { return ticks_until(std::chrono::steady_clock::now()); }
moment begin_of(std::uint64_t tick) noexcept {
  constexpr std::uint64_t last = ~std::uint64_t{0} >> (tick_shift + 1);
  return tick > last ? moment::max()
                     : moment(moment::duration(static_cast<std::int64_t>(tick << tick_shift)));
}

/// The timers of this process, and before they are made those of the parent, if any.
std::atomic<timers*> newest{nullptr};

}  // namespace

void timer_wheel::add(timer& t) noexcept {
  const std::uint64_t due = t.due > now_ ? t.due : now_ + 1;
  const auto highest_bit = 63U - static_cast<unsigned>(std::countl_zero(due ^ now_));
  const unsigned w = highest_bit / bits;
  NOPAL_ASSERT(w < wheels);
  const auto s = static_cast<unsigned>(due >> (w * bits)) % (1U << bits);
  t.slot = static_cast<std::uint16_t>(w << bits | s);
  wheels_[w].slots[s].push_back(t);
  wheels_[w].occupied |= std::uint64_t{1} << s;
}

void timer_wheel::remove(timer& t) noexcept {
  wheel& w = wheels_[t.slot >> bits];
  const unsigned s = t.slot % (1U << bits);
  t.unlink();
  if (w.slots[s].empty()) w.occupied &= ~(std::uint64_t{1} << s);
}

std::uint64_t timer_wheel::next() const noexcept {
  // All timers of a lower wheel come before those of a higher one, and in each wheel all slots that
  // are occupied lie ahead of that of now.
  for (unsigned w = 0; w < wheels; ++w) {
    if (wheels_[w].occupied == 0) continue;
    const auto s = static_cast<std::uint64_t>(std::countr_zero(wheels_[w].occupied));
    const unsigned above = (w + 1) * bits;
    const std::uint64_t turn = above < 64 ? now_ >> above << above : 0;
    return turn | s << (w * bits);
  }
  return never;
}

void timer_wheel::advance(std::uint64_t now, intrusive_list& due, std::uint16_t mark) noexcept {
  for (std::uint64_t at = next(); at <= now; at = next()) {
    // Only one slot begins at `at`: no lower wheel has any that is occupied.
    const auto w = static_cast<unsigned>(std::countr_zero(at)) / bits;
    const auto s = static_cast<unsigned>(at >> (w * bits)) % (1U << bits);
    now_ = at;
    wheels_[w].occupied &= ~(std::uint64_t{1} << s);
    while (list_links* first = wheels_[w].slots[s].first()) {
      first->unlink();
      auto& t = static_cast<timer&>(*first);
      if (t.due > now_) {
        add(t);  // into a lower wheel
        continue;
      }
      t.slot = mark;
      due.push_back(t);
    }
  }
  if (now > now_) now_ = now;
}

timers::timers() noexcept : wheel_(tick_now()), generation_(process_generation()) {}

timers& timers::of_this_process() {
  for (;;) {
    // Both acquires pair with the release below.
    timers* known = newest.load(std::memory_order_acquire);
    if (known != nullptr && known->generation_ == process_generation()) return *known;
    // There is no lock here, since a thread of the parent might hold it for ever in a child of
    // fork(2).
    auto fresh = std::make_unique<timers>();
    fresh->before_ = known;
    if (const int error = fresh->start(); error != 0)
      throw std::system_error(error, std::generic_category(),
                              "nopal: no thread can be started, and a wait with a deadline needs "
                              "one that sleeps until then");
    if (newest.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      static constinit at_unloading ends{unloading_step::io, end_newest};
      ends.note();
      return *fresh.release();
    }
    fresh->end(false);
  }
}

int timers::start() noexcept {
  return start_service_thread(
      thread_,
      [](void* self) -> void* {
        become_service_thread("nopal-timers");
        static_cast<timers*>(self)->sleep_and_expire();
        return nullptr;
      },
      this);
}

void timers::end(bool process_ends) noexcept {
  ends_.store(true, std::memory_order_relaxed);
  wakes_.fetch_add(1, std::memory_order_release);  // pairs with sleep_and_expire()
  futex_wake(wakes_, 1);
  if (!process_ends) {
    pthread_join(thread_, nullptr);
    return;
  }
  // A handler of a signal may have called exit(3) on a thread that holds the lock. Then the thread
  // of the timers never ends, and nobody waits for it for long.
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  pthread_timedjoin_np(thread_, nullptr, &until);
}

/// Ends the thread, and frees the timers if the code of nopal is unmapped. \see at_unloading
void timers::end_newest(bool process_ends) noexcept {
  timers* t = newest.load(std::memory_order_acquire);
  if (t == nullptr || t->generation_ != process_generation()) return;
  t->end(process_ends);
  if (process_ends) return;
  newest.store(t->before_, std::memory_order_relaxed);
  delete t;
}

void timers::add(timer& t, moment at) noexcept {
  NOPAL_ASSERT(!t.is_listed());
  bool is_first = false;
  {
    const std::lock_guard held(lock_);
    t.in = this;
    t.due = ticks_until(at) + 1;
    wheel_.catch_up(tick_now());
    wheel_.add(t);
    const std::uint64_t next = wheel_.next();
    is_first = next < sleeps_until_;
    if (is_first) {
      sleeps_until_ = next;
      wakes_.fetch_add(1, std::memory_order_release);  // pairs with sleep_and_expire()
    }
  }
  if (is_first) futex_wake(wakes_, 1);
}

/// Takes `t` out, for a caller that has the lock.
void timers::take_out(timer& t) noexcept {
  if (!t.is_listed()) return;
  if (t.slot == is_due)
    t.unlink();
  else
    wheel_.remove(t);
}

void timers::cancel(timer& t) noexcept {
  const std::lock_guard held(lock_);
  take_out(t);
}

void timers::remove(timer& t) noexcept {
  std::unique_lock held(lock_);
  take_out(t);
  while (expiring_ == &t) {
    end_is_awaited_ = true;
    const std::uint32_t seen = expired_.load(std::memory_order_relaxed);
    held.unlock();
    futex_wait(expired_, seen);
    held.lock();
  }
}

/// Calls the function of a timer, which has been taken out.
void timers::expire_one(timer& t) noexcept {
  t.expire(t);
  bool is_awaited = false;
  {
    const std::lock_guard held(lock_);
    expiring_ = nullptr;  // from here on `t` may be gone
    is_awaited = std::exchange(end_is_awaited_, false);
    if (is_awaited) expired_.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_awaited) futex_wake(expired_, INT_MAX);
}

/// Sleeps until the next timer is due, lets those expire that are, and so on. This is the whole of
/// the thread.
void timers::sleep_and_expire() noexcept {
  for (;;) {
    emit<wait_events::looking>();
    std::uint32_t seen = 0;
    std::uint64_t until = 0;
    timer* first = nullptr;
    {
      const std::lock_guard held(lock_);
      // Pairs with the releases in add() and end().
      seen = wakes_.load(std::memory_order_acquire);
      // Whoever ends this changes `wakes_` afterwards. So this look comes after that at `wakes_`.
      if (ends_.load(std::memory_order_relaxed)) return;
      if (due_.empty()) wheel_.advance(tick_now(), due_, is_due);
      first = static_cast<timer*>(due_.first());
      expiring_ = first;
      if (first != nullptr) first->unlink();
      sleeps_until_ = until = wheel_.next();
    }
    if (first != nullptr)
      expire_one(*first);
    else if (tick_now() < until)
      futex_wait_until(wakes_, seen, begin_of(until));
  }
}

}  // namespace nopal::detail
