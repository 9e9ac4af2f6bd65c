// SPDX-License-Identifier: Apache-2.0
// One wait that one of several events ends. docs/wait.md has the protocol and its argument.
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/list.hpp"
#include "nopal/detail/wait/events.hpp"
#include "nopal/detail/wait/waiter.hpp"

namespace nopal::detail {

/// What has made a wait known to an object that has no lock for it. It lies with whoever waits.
struct withdrawable {
  /// A limit calls this before it decides. Takes back what the object knows of the wait. Returns
  /// false if that has been taken already, by an event that will decide or by another limit.
  bool (*withdraw)(withdrawable& self) noexcept;
};

/// Says which of several events has ended one wait: the first that calls decide().
///
/// The decision lies with whoever waits. An event that has decided does what it has to do for the
/// wait, and then calls complete(). Until then whoever waits does not go on, even if it has not
/// gone to sleep yet.
/// Thread-safety: any thread may call decide(); the one for which it returns true calls complete().
/// Complexity: each call is wait-free, except that complete() and serve() are lock-free if somebody
/// waits, and decide() of a limit is if it has to withdraw.
class decision {
 public:
  /// The numbers of the events that end any wait. An event of the wait itself has a smaller one.
  static constexpr unsigned no_timer = 0xfffd;  ///< There is no memory or thread for a deadline.
  static constexpr unsigned timed_out = 0xfffe;
  static constexpr unsigned stopped = 0xffff;
  static constexpr bool is_limit(unsigned number) noexcept { return number >= no_timer; }

  decision() noexcept = default;
  decision(const decision&) = delete;
  decision& operator=(const decision&) = delete;

  /// Decides for the event with this number, unless another one has decided. Returns whether it
  /// has.
  [[nodiscard]] bool decide(unsigned number) noexcept {
    if (is_limit(number) && known_by_ != nullptr && !known_by_->withdraw(*known_by_)) return false;
    std::uint32_t open = word_.load(std::memory_order_relaxed);
    do {
      if ((open & is_decided) != 0) return false;
      // The release pairs with the acquire in number(): whoever waits sees what this event did
      // before. The acquire pairs with the release in announce().
    } while (!word_.compare_exchange_weak(open, open | is_decided | number << number_shift,
                                          std::memory_order_acq_rel, std::memory_order_relaxed));
    emit<wait_events::decided>();
    return true;
  }

  /// Lets whoever waits go on. The decision may be gone when this returns.
  void complete() noexcept {
    emit<wait_events::completing>();
    // This releases what the event did for announce() and number(), and acquires waiter_.
    const std::uint32_t before = word_.fetch_or(is_complete, std::memory_order_acq_rel);
    NOPAL_ASSERT((before & (is_decided | is_complete)) == is_decided);
    if ((before & is_awaited) != 0) waiter_->go_on();
  }

  /// Decides and completes in one step. Precondition: the caller has taken the decision from the
  /// object that is_known_by() has named, so that no limit and no other event decides.
  void serve(void (waiter::*go_on)() noexcept = &waiter::go_on) noexcept {
    emit<wait_events::completing>();
    // As in complete().
    const std::uint32_t before =
        word_.fetch_or(is_decided | is_complete, std::memory_order_acq_rel);
    NOPAL_ASSERT((before & (is_decided | is_complete)) == 0);
    if ((before & is_awaited) != 0) (waiter_->*go_on)();
  }

  /// Has limits take back what an object without a lock knows of the wait. Whoever waits calls this
  /// before the object or a limit knows of the decision.
  void is_known_by(withdrawable& w) noexcept { known_by_ = &w; }

  /// Makes the waiter known. Returns whether it has to wait. \see announcement
  bool announce(waiter& w) noexcept {
    waiter_ = &w;
    emit<wait_events::announcing>();
    // This releases waiter_ for complete(), and acquires what the event did.
    return (word_.fetch_or(is_awaited, std::memory_order_acq_rel) & is_complete) == 0;
  }

  /// Whether the wait is over.
  [[nodiscard]] bool is_over() const noexcept {
    // The acquire pairs with the release in complete().
    return (word_.load(std::memory_order_acquire) & is_complete) != 0;
  }

  /// Returns the number of the event. Precondition: the wait is over.
  [[nodiscard]] unsigned number() const noexcept {
    // The acquire pairs with the release in complete().
    const std::uint32_t seen = word_.load(std::memory_order_acquire);
    NOPAL_ASSERT((seen & is_complete) != 0);
    return seen >> number_shift;
  }

 private:
  static constexpr std::uint32_t is_decided = 1;
  static constexpr std::uint32_t is_complete = 2;
  static constexpr std::uint32_t is_awaited = 4;  ///< `waiter_` is set.
  static constexpr unsigned number_shift = 16;

  std::atomic<std::uint32_t> word_{0};
  waiter* waiter_ = nullptr;
  withdrawable* known_by_ = nullptr;
};

/// What a wait leaves at one object: whoever can serve it there decides for it. It lies with
/// whoever waits, who takes it out of the object's list, under the lock of the list, before it goes
/// on.
struct offer : list_links {
  decision* of = nullptr;
  unsigned number = 0;  ///< The number of this event in the wait.
};

/// The offers at one object, the oldest first. The lock of the object guards this.
class offer_list {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  void push_back(offer& o) noexcept { all_.push_back(o); }
  void push_front(offer& o) noexcept { all_.push_front(o); }

  /// Takes out the first offer for which it can decide. Returns nullptr if there is none. The
  /// caller calls complete(), without the lock, if the object may be gone when the waiter goes on.
  offer* take() noexcept {
    while (offer* o = first())
      if (take(*o)) return o;
    return nullptr;
  }
  /// Returns the first offer, or nullptr.
  [[nodiscard]] offer* first() noexcept { return static_cast<offer*>(all_.first()); }
  /// Takes out `o`. Returns whether it can decide for it.
  [[nodiscard]] bool take(offer& o) noexcept {
    o.unlink();
    return o.of->decide(o.number);
  }

 private:
  intrusive_list all_;
};

/// Offers that have been taken under a lock, and are to be completed without it.
class taken_offers {
 public:
  taken_offers() noexcept = default;
  taken_offers(const taken_offers&) = delete;
  taken_offers& operator=(const taken_offers&) = delete;
  ~taken_offers() { NOPAL_ASSERT(all_.empty()); }

  void add(offer& o) noexcept { all_.push_back(o); }
  /// Takes all offers of a list.
  void add_all(offer_list& from) noexcept {
    while (offer* o = from.take()) add(*o);
  }
  void complete() noexcept {
    while (list_links* first = all_.first()) {
      first->unlink();
      static_cast<offer*>(first)->of->complete();
    }
  }

 private:
  intrusive_list all_;
};

}  // namespace nopal::detail
