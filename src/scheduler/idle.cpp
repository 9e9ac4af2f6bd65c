// SPDX-License-Identifier: Apache-2.0
#include "scheduler/idle.hpp"

#include <climits>
#include <memory>

#include "nopal/detail/platform/assert.hpp"
#include "platform/futex.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {
namespace {

constexpr unsigned field_bits = 16;
constexpr std::uint64_t one_active = 1;
constexpr std::uint64_t one_searcher = std::uint64_t{1} << field_bits;
constexpr std::uint64_t one_sleeper = std::uint64_t{1} << (2 * field_bits);
constexpr std::uint64_t one_other_group = std::uint64_t{1} << (3 * field_bits);

constexpr std::uint64_t field(std::uint64_t word, std::uint64_t one) noexcept {
  return word / one & ((std::uint64_t{1} << field_bits) - 1);
}
constexpr std::uint64_t active(std::uint64_t word) noexcept { return field(word, one_active); }
constexpr std::uint64_t searchers(std::uint64_t word) noexcept { return field(word, one_searcher); }
constexpr std::uint64_t sleepers(std::uint64_t word) noexcept { return field(word, one_sleeper); }

/// The count of other groups may be below 0 for a moment: a worker that found work goes from word
/// to word, and one that lost work may overtake it. The count is the topmost field, so that it
/// borrows nothing from another.
constexpr std::int64_t other_groups(std::uint64_t word) noexcept {
  return static_cast<std::int64_t>(word) >> (3 * field_bits);
}

/// Whether somebody works, and nobody searches in the group of this word.
bool lacks_searcher(std::uint64_t word) noexcept {
  return searchers(word) == 0 && (active(word) != 0 || other_groups(word) > 0);
}

/// Adds `difference` to the word of a group, and returns the new value. The access is sequentially
/// consistent, as is every access of the word: see class idle.
std::uint64_t change(std::atomic<std::uint64_t>& word, std::uint64_t difference) noexcept {
  const std::uint64_t now = word.fetch_add(difference, std::memory_order_seq_cst) + difference;
  constexpr std::uint64_t below_zero = std::uint64_t{1} << (field_bits - 1);
  NOPAL_ASSERT((active(now) | searchers(now) | sleepers(now)) < below_zero);
  return now;
}

/// Returns the mark by which wake_worker() wakes a worker, and few others.
std::uint32_t mark_of(unsigned worker) noexcept { return std::uint32_t{1} << worker % 32; }

}  // namespace

idle::idle(unsigned groups) : size_(groups), groups_(std::make_unique<group_state[]>(groups)) {}

unsigned idle::found_work(unsigned group) noexcept {
  const std::uint64_t own = change(groups_[group].word, one_active - one_searcher);
  unsigned woken = 0;
  const auto wake_if = [&](bool left_alone, unsigned g) {
    if (!left_alone || !may_wake()) return;
    wake_one(groups_[g]);
    ++woken;
  };
  wake_if(searchers(own) == 0 && sleepers(own) != 0, group);
  if (active(own) != 1) return woken;
  for (unsigned g = 0; g < size_; ++g) {
    if (g == group) continue;
    // The first work may have come, and the last searcher there may have gone to sleep without
    // seeing it.
    const std::uint64_t now = change(groups_[g].word, one_other_group);
    const bool first_work = other_groups(now) == 1 && active(now) == 0;
    wake_if(first_work && searchers(now) == 0 && sleepers(now) != 0, g);
  }
  return woken;
}

void idle::lost_work(unsigned group) noexcept {
  const std::uint64_t own = change(groups_[group].word, one_searcher - one_active);
  if (active(own) != 0) return;
  for (unsigned g = 0; g < size_; ++g)
    if (g != group) change(groups_[g].word, -one_other_group);
}

void idle::join_search(unsigned group) noexcept { change(groups_[group].word, one_searcher); }

unsigned idle::leave_search(unsigned group) noexcept {
  const std::uint64_t now = change(groups_[group].word, -one_searcher);
  const bool guest_works = searchers(now) == 0 && guests_up_to(1) != 0;
  if (sleepers(now) == 0 || !(lacks_searcher(now) || guest_works) || !may_wake()) return 0;
  wake_one(groups_[group]);
  return 1;
}

/// Counts a searcher as a sleeper. Returns whether it may sleep: its group has another searcher, or
/// nobody has work, or it sleeps in the stead of a guest.
bool idle::announce_sleep(unsigned group) noexcept {
  const std::uint64_t now = change(groups_[group].word, one_sleeper - one_searcher);
  const std::uint64_t asleep = all().sleepers;
  const std::uint64_t here = guests_up_to(asleep);
  return here == 0 ? !lacks_searcher(now) : searchers(now) != 0 || here == asleep;
}

/// Counts a sleeper as a searcher again.
void idle::announce_awake(unsigned group) noexcept {
  change(groups_[group].word, one_searcher - one_sleeper);
}

/// Sleeps until a wake-up that comes after `key` was read. Returns whether it slept.
bool idle::wait(unsigned group, unsigned worker, std::uint32_t key) noexcept {
  if (emit<scheduler_events::parking>()) return false;
  futex_wait_marked(groups_[group].epoch, key, mark_of(worker));
  emit<scheduler_events::woken>();
  return true;
}

/// Wakes one sleeper of the group. Whoever goes to sleep meanwhile does not.
void idle::wake_one(group_state& g) noexcept {
  g.epoch.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load of the key in sleep()
  futex_wake(g.epoch, 1);
}

/// Wakes one sleeper in the first group that has one. Returns the number woken.
unsigned idle::wake_in_any_group() noexcept {
  for (unsigned g = 0; g < size_; ++g) {
    if (sleepers(groups_[g].word.load(std::memory_order_seq_cst)) == 0) continue;  // as in all()
    wake_one(groups_[g]);
    return 1;
  }
  return 0;
}

unsigned idle::work_submitted() noexcept {
  const sums now = all();
  if (now.searchers != 0) return 0;
  // A guest runs its own call only. So if no worker is awake, one wakes, whoever is a guest.
  if (now.active != 0 && guests_up_to(now.sleepers) == now.sleepers) return 0;
  return wake_in_any_group();
}

unsigned idle::guest_comes(unsigned first) noexcept {
  for (unsigned tried = 0; tried < most_guests; ++tried) {
    const unsigned n = (first + tried) % most_guests;
    // This comes before the guest, so whoever reads the flag reads this first.
    unsigned used = flags_used_.load(std::memory_order_seq_cst);
    while (used <= n &&
           !flags_used_.compare_exchange_weak(used, n + 1, std::memory_order_seq_cst)) {
    }
    // The order is for what guests leave to the next guest of their number, and pairs with the load
    // in guests_up_to(): see announce_sleep().
    if (flags_[n].is_set.load(std::memory_order_relaxed) ||
        flags_[n].is_set.exchange(true, std::memory_order_seq_cst))
      continue;
    wake_for_forks(true);
    return n;
  }
  return most_guests;
}

void idle::guest_goes(unsigned n) noexcept {
  // Pairs with the exchange in guest_comes(), and with guests_up_to().
  [[maybe_unused]] const bool was_taken =
      flags_[n].is_set.exchange(false, std::memory_order_seq_cst);
  NOPAL_ASSERT(was_taken);
  wake_for_forks(false);
}

/// Wakes a sleeper that is not to sleep in the stead of a guest, if nobody searches and somebody
/// may fork.
/// \param comes  whether the caller is a guest that may fork.
void idle::wake_for_forks(bool comes) noexcept {
  const sums now = all();
  if (now.searchers != 0 || now.sleepers == 0) return;
  const std::uint64_t here = guests_up_to(now.sleepers);
  if (here != now.sleepers && (comes || here != 0 || now.active != 0)) wake_in_any_group();
}

bool idle::may_steal() const noexcept {
  if (guests_up_to(1) == 0) return true;
  const std::uint64_t asleep = all().sleepers;
  return guests_up_to(asleep + 1) <= asleep;
}

/// Whether more workers sleep than there are guests.
bool idle::may_wake() const noexcept {
  const std::uint64_t asleep = all().sleepers;
  return asleep != 0 && guests_up_to(asleep) != asleep;
}

/// Returns the number of guests, or `most` if there are more. The loads pair with the changes by
/// which guests come and go: a worker announces its sleep and then looks for guests, and a guest
/// comes or goes and then looks for sleepers. The guests that are counted need not have been here
/// at the same time. Whoever comes or goes meanwhile decides anew.
std::uint64_t idle::guests_up_to(std::uint64_t most) const noexcept {
  const unsigned used = flags_used_.load(std::memory_order_seq_cst);
  std::uint64_t count = 0;
  for (unsigned n = 0; n < used && count < most; ++n)
    if (flags_[n].is_set.load(std::memory_order_seq_cst)) ++count;
  return count;
}

std::uint64_t idle::guests() const noexcept {
  std::uint64_t bits = 0;
  const unsigned used = flags_used_.load(std::memory_order_seq_cst);
  for (unsigned n = 0; n < used; ++n)  // as in guests_up_to()
    bits |= std::uint64_t{flags_[n].is_set.load(std::memory_order_seq_cst)} << n;
  return bits;
}

/// The loads pair with change().
idle::sums idle::all() const noexcept {
  sums s;
  for (unsigned g = 0; g < size_; ++g) {
    const std::uint64_t now = groups_[g].word.load(std::memory_order_seq_cst);
    s.active += active(now);
    s.searchers += searchers(now);
    s.sleepers += sleepers(now);
  }
  return s;
}

std::uint64_t idle::active_workers() const noexcept {
  return all().active + guests_up_to(most_guests);
}

void idle::wake_worker(unsigned group, unsigned worker) noexcept {
  group_state& g = groups_[group];
  if (sleepers(g.word.load(std::memory_order_seq_cst)) == 0) return;  // pairs: announce_sleep()
  g.epoch.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load of the key in sleep()
  futex_wake_marked(g.epoch, mark_of(worker));
}

void idle::wake_all() noexcept {
  for (unsigned g = 0; g < size_; ++g) {
    groups_[g].epoch.fetch_add(1, std::memory_order_seq_cst);  // pairs: the key in sleep()
    futex_wake(groups_[g].epoch, INT_MAX);
  }
}

}  // namespace nopal::detail
