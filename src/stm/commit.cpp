// SPDX-License-Identifier: Apache-2.0
// The commit of a transaction: docs/stm.md has its steps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/transaction_core.hpp"
#include "platform/futex.hpp"
#include "stm/registry.hpp"
#include "stm/token.hpp"
#include "stm/waiting.hpp"

namespace nopal::detail {

bool transaction_core::commit() {
  if (state_ != state::active) return false;  // the body has caught what unwound it
  const bool has_written = !log_->writes.empty() || !log_->destroyed.empty();
  if (has_written && !commit_writes()) return false;
  log_->count(has_written ? stm_count::commits : stm_count::read_only_commits);
  log_->count(stm_count::locations_read, log_->reads.size());
  log_->count(stm_count::locations_written, log_->writes.entries().size());
  end();
  log_->on_abort.clear();
  if (!log_->made.empty()) {
    log_->made.keep();
    log_->made.free_undone(log_->freed);
  }
  if (log_->destroyed.wants_reclaim()) [[unlikely]]
    reclaim(*log_);
  if (!log_->on_commit.empty()) [[unlikely]] {
    // These functions may run transactions.
    for (const auto& f : std::exchange(log_->on_commit, {})) f();
  }
  return true;
}

/// Commits an attempt that has written or destroyed something, for commit(). Returns false, and
/// `state_` says why, if the attempt has to be repeated.
bool transaction_core::commit_writes() {
  // The records must not move while locks point to them.
  log_->locks.reserve(log_->writes.entries().size());
  log_->destroyed.make_room_to_retire();
  if (!enter_commit()) {
    state_ = state::kept_out;
    return false;
  }
  bool succeeds = take_locks();
  std::uint64_t version = 0;
  if (succeeds) {
    emit<stm_events::advancing>();
    // The release lets whoever begins or extends with this version, or a later one, see the locks
    // of this commit as taken. The acquire lets is_unchanged() see the locks of the commits before.
    version = clock_of_stm.version.fetch_add(1, std::memory_order_acq_rel) + 1;
    const bool nothing_between = version == version_ + 1;
    log_->count(nothing_between ? stm_count::validations_skipped : stm_count::validations);
    if (!nothing_between) emit<stm_events::validating>();
    succeeds = nothing_between || is_unchanged();
  }
  if (succeeds) {
    emit<stm_events::writing>();
    log_->writes.store_all();
    give_locks_back(version);
  } else {
    NOPAL_ASSERT(!has_token_);
    give_locks_back_unchanged();
    state_ = state::conflicted;
  }
  log_->commits_now.store(0, std::memory_order_release);  // pairs with commit_token::take()
  if (!succeeds) return false;
  emit<stm_events::released>();
  transactions_in_retry.wake_changed();
  log_->destroyed.retire(version);
  return true;
}

/// Announces the commit to whoever takes the token. Returns false, and announces nothing, if
/// another transaction has the token.
bool transaction_core::enter_commit() noexcept {
  if (has_token_) return true;
  log_->commits_now.store(1, release_at_fence);  // pairs with commit_token::take()
  emit<stm_events::committing>();
  if (!token_of_stm.is_taken()) return true;
  log_->commits_now.store(0, std::memory_order_release);
  return false;
}

/// Takes the locks of all that is to be written, in the order of the writes. Returns false if one
/// is held for too long, or if an object is destroyed twice. Then the caller gives back those that
/// are taken.
bool transaction_core::take_locks() {
  for (const write_log::entry& e : log_->writes.entries()) {
    versioned_lock& lock = *e.place.lock;
    const bool destroys = e.place.words == 0;
    emit<stm_events::locking>();
    for (unsigned looks = 0;; ++looks) {
      const versioned_lock::word w = lock.load(std::memory_order_relaxed);
      if (is_own(w)) {  // the lock protects an earlier location as well
        if (destroys && !mark_last(record_of(w))) return false;
        break;
      }
      if (!versioned_lock::is_held(w)) {
        const bool is_last = versioned_lock::is_last(w);
        if (destroys && is_last) return false;  // another destroyed it since give_last_version()
        log_->locks.push_back({&lock, w, destroys || is_last ? versioned_lock::last : 0});
        if (lock.try_take(w, log_->locks.back())) break;
        log_->locks.pop_back();
      }
      if (looks == looks_at_held_lock) return false;
      cpu_relax();
    }
  }
  return true;
}

bool transaction_core::mark_last(lock_record& r) noexcept {
  if (versioned_lock::is_last(r.before)) return false;  // as in take_locks()
  r.mark = versioned_lock::last;
  return true;
}

lock_record& transaction_core::record_of(versioned_lock::word w) noexcept {
  return log_->locks[static_cast<std::size_t>(versioned_lock::holder(w) - log_->locks.data())];
}

/// Whether the word of a lock says that this transaction holds it.
bool transaction_core::is_own(versioned_lock::word w) const noexcept {
  if (!versioned_lock::is_held(w)) return false;
  const lock_record* r = versioned_lock::holder(w);
  const lock_record* first = log_->locks.data();
  return std::less_equal<>()(first, r) && std::less<>()(r, first + log_->locks.size());
}

/// Whether all that the attempt has read is as it was when it was read. The caller has read the
/// clock before. A commit and extend() ask this, and so does what wakes a transaction in retry.
bool transaction_core::is_unchanged() const noexcept {
  return std::all_of(log_->reads.begin(), log_->reads.end(), [&](const versioned_lock* l) {
    // A commit whose lock is not seen here has a version later than the clock that the caller has
    // read. The load acquires, so that a later read does not find an older version.
    const versioned_lock::word w = l->load(std::memory_order_acquire);
    return w <= version_ || (is_own(w) && versioned_lock::holder(w)->before <= version_);
  });
}

/// Gives the locks back after the commit has written, with its version.
void transaction_core::give_locks_back(std::uint64_t version) noexcept {
  emit<stm_events::releasing>();
  for (const lock_record& r : log_->locks) {
    // Pairs with the acquire in transaction_core::read() and in try_take() and, with light_fence()
    // in wake_changed(), with waiting_transactions::add().
    r.lock->release(version | r.mark, release_at_fence);
  }
  log_->locks.clear();
}

/// Gives the locks back, with the versions that they had, after a commit has failed.
void transaction_core::give_locks_back_unchanged() noexcept {
  for (const lock_record& r : log_->locks)
    r.lock->release(r.before, std::memory_order_release);  // pairs with try_take()
  log_->locks.clear();
}

}  // namespace nopal::detail
