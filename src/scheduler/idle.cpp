// SPDX-License-Identifier: Apache-2.0
#include "scheduler/idle.hpp"

#include <climits>

#include "nopal/detail/platform/assert.hpp"
#include "platform/futex.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {
namespace {

constexpr unsigned field_bits = 21;
constexpr std::uint64_t one_active = 1;
constexpr std::uint64_t one_searcher = std::uint64_t{1} << field_bits;
constexpr std::uint64_t one_sleeper = std::uint64_t{1} << (2 * field_bits);

constexpr std::uint64_t field(std::uint64_t word, std::uint64_t one) noexcept {
  return word / one & ((std::uint64_t{1} << field_bits) - 1);
}
constexpr std::uint64_t active(std::uint64_t word) noexcept { return field(word, one_active); }
constexpr std::uint64_t searchers(std::uint64_t word) noexcept { return field(word, one_searcher); }
constexpr std::uint64_t sleepers(std::uint64_t word) noexcept { return field(word, one_sleeper); }

/// Returns the new value. Sequentially consistent, as every access of the word: see class idle.
std::uint64_t change(std::atomic<std::uint64_t>& word, std::uint64_t difference) noexcept {
  const std::uint64_t now = word.fetch_add(difference, std::memory_order_seq_cst) + difference;
  constexpr std::uint64_t below_zero = std::uint64_t{1} << (field_bits - 1);
  NOPAL_ASSERT((active(now) | searchers(now) | sleepers(now)) < below_zero);
  return now;
}

}  // namespace

idle::idle(unsigned groups) : size_(groups), groups_(std::make_unique<group_state[]>(groups)) {}

unsigned idle::found_work(unsigned group) noexcept {
  unsigned woken = 0;
  for (unsigned g = 0; g < size_; ++g) {
    const std::uint64_t now =
        change(groups_[g].word, g == group ? one_active - one_searcher : one_active);
    // In the own group the last searcher has gone; in another the first work has come, and its last
    // searcher may have gone to sleep seeing none.
    const bool left_alone = searchers(now) == 0 && (g == group || active(now) == 1);
    if (left_alone && sleepers(now) != 0) {
      wake_one(groups_[g]);
      ++woken;
    }
  }
  return woken;
}

void idle::lost_work(unsigned group) noexcept {
  for (unsigned g = 0; g < size_; ++g)
    change(groups_[g].word, g == group ? one_searcher - one_active : -one_active);
}

void idle::join_search(unsigned group) noexcept { change(groups_[group].word, one_searcher); }
void idle::leave_search(unsigned group) noexcept { change(groups_[group].word, -one_searcher); }

bool idle::announce_sleep(unsigned group) noexcept {
  const std::uint64_t now = change(groups_[group].word, one_sleeper - one_searcher);
  return searchers(now) != 0 || active(now) == 0;
}

void idle::announce_awake(unsigned group) noexcept {
  change(groups_[group].word, one_searcher - one_sleeper);
}

bool idle::wait(unsigned group, std::uint32_t key) noexcept {
  if (emit<scheduler_events::parking>()) return false;
  futex_wait(groups_[group].epoch, key);
  emit<scheduler_events::woken>();
  return true;
}

void idle::wake_one(group_state& g) noexcept {
  g.epoch.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load of the key in sleep()
  futex_wake(g.epoch, 1);
}

unsigned idle::work_submitted() noexcept {
  group_state* drowsy = nullptr;
  for (unsigned g = 0; g < size_; ++g) {
    const std::uint64_t now = groups_[g].word.load(std::memory_order_seq_cst);
    if (searchers(now) != 0) return 0;
    if (drowsy == nullptr && sleepers(now) != 0) drowsy = &groups_[g];
  }
  if (drowsy == nullptr) return 0;
  wake_one(*drowsy);
  return 1;
}

#ifdef NOPAL_CHECK
std::uint64_t idle::active_workers() const noexcept {
  return active(groups_[0].word.load(std::memory_order_relaxed));
}
#endif

void idle::wake_group(unsigned group) noexcept {
  group_state& g = groups_[group];
  if (sleepers(g.word.load(std::memory_order_seq_cst)) != 0)
    wake_all_of(g);  // pairs with announce_sleep()
}

void idle::wake_all_of(group_state& g) noexcept {
  g.epoch.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load of the key in sleep()
  futex_wake(g.epoch, INT_MAX);
}

void idle::wake_all() noexcept {
  for (unsigned g = 0; g < size_; ++g) wake_all_of(groups_[g]);
}

}  // namespace nopal::detail
