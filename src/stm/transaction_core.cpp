// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/stm/transaction_core.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/retry_operation.hpp"
#include "platform/futex.hpp"
#include "stm/registry.hpp"
#include "stm/token.hpp"
#include "stm/waiting.hpp"

namespace nopal::detail {
namespace {

constexpr std::uint64_t every_cell = ~std::uint64_t{0};
/// The number of conflicts after which a transaction asks for the token.
constexpr unsigned attempts_before_token = 16;
/// The number of conflicts after which it lets other threads run before it begins again.
constexpr unsigned attempts_before_yield = 4;

}  // namespace

transaction_core::transaction_core(bool irrevocable)
    : log_(&take_log()), irrevocable_(irrevocable) {}

transaction_core::~transaction_core() {
  NOPAL_ASSERT(state_ == state::idle);
  give_back_log(*log_);
}

// --- reading and writing -------------------------------------------------------------------------

void transaction_core::begin() {
  NOPAL_ASSERT(state_ == state::idle);
  if (!has_token_ && (irrevocable_ || attempts_ >= attempts_before_token)) {
    token_of_stm.take(*log_);
    has_token_ = true;
    log_->count(stm_count::tokens);
  }
  // Pairs with the release in commit_writes(): all commits up to this version have their locks.
  version_ = clock_of_stm.version.load(std::memory_order_acquire);
  emit<stm_events::beginning>();
  // Pairs with the acquire in oldest_start(): what a later commit destroys stays until
  // this attempt ends.
  log_->start.store(version_, release_at_fence);
  // The fence comes before anything is read. Pairs with heavy_fence() in oldest_start(): either
  // that sees the announcement, or this attempt does not find what was destroyed before.
  light_fence();
  emit<stm_events::begun>();
  filter_ = 0;
  made_filter_ = 0;
  state_ = state::active;
}

/// Sees to it that a location can be read whose lock is held, or has a version that is too new.
/// Waits for the holder a while, and extends the attempt to the new version. read() calls this, and
/// looks again.
void transaction_core::make_readable(const versioned_lock& lock) {
  for (unsigned looks = 0;; ++looks) {
    const versioned_lock::word w = lock.load(std::memory_order_relaxed);
    if (!versioned_lock::is_held(w)) {
      if (versioned_lock::is_last(w)) meet_destroyed(w);
      if (w > version_) extend();
      return;
    }
    if (looks == looks_at_held_lock) unwind(state::conflicted);
    cpu_relax();
  }
}

/// Lets the attempt read what has been committed up to now, if all that it has read is still as it
/// was. Else the attempt unwinds.
void transaction_core::extend() {
  // The clock is read before is_unchanged() looks at what was read. Pairs with the release in
  // commit_writes(): a commit up to this version that changes any of it has taken its lock, which
  // is_unchanged() then sees.
  const std::uint64_t now = clock_of_stm.version.load(std::memory_order_acquire);
  emit<stm_events::extending>();
  if (!is_unchanged()) unwind(state::conflicted);
  version_ = now;
  log_->count(stm_count::extensions);
}

/// Unwinds an attempt that has come to an object which a commit has destroyed, or throws if the
/// program is wrong.
/// \param w  the lock of the object, with its last version.
void transaction_core::meet_destroyed(versioned_lock::word w) {
  // The object was still in reach when this transaction began, so this is a conflict.
  if (versioned_lock::version_in(w) > version_) unwind(state::conflicted);
  throw std::logic_error(
      "nopal: a transaction reads or destroys an object that an earlier transaction has destroyed; "
      "what is destroyed must be out of reach: set the pointers to it in the same transaction");
}

const void* transaction_core::find_own(const void* first_word) {
  check_alive();
  if (const void* words = log_->writes.find(first_word)) return words;
  const bool is_made =
      (made_filter_ & line_bit(first_word)) != 0 && log_->made.contains(first_word);
  return is_made ? first_word : nullptr;
}

/// Notes that a cell of one word is to be written, for write().
void transaction_core::write_word(const write_place& p, std::uint64_t value) {
  check_alive();
  const std::uint64_t bit = filter_bit(p.first_word);
  log_->writes.write_word(p, value, (filter_ & bit) == 0);
  filter_ |= bit;
}

/// Notes that a cell of several words is to be written, for write().
void transaction_core::write_long(const write_place& p, const void* words) {
  check_alive();
  log_->writes.write_long(p, words);
  filter_ |= filter_bit(p.first_word);
}

/// Lets the commit mark the lock's next version as its last, because the object is destroyed. The
/// lock takes the place of a location in the write log, which has no words to be written.
void transaction_core::give_last_version(versioned_lock& lock) {
  // The load is relaxed: nothing behind the lock is read, and the commit looks again.
  const versioned_lock::word w = lock.load(std::memory_order_relaxed);
  if (versioned_lock::is_last(w)) meet_destroyed(w);
  write_word({&lock, &lock, 0, 0}, 0);
}

void transaction_core::check_alive() {
  if (state_ != state::active) [[unlikely]]
    throw transaction_unwinding{};
}

/// Ends the body by an exception, because the attempt cannot go on. wait_to_begin_again() does then
/// what `why` says.
void transaction_core::unwind(state why) {
  // Whoever has the token has no conflicts: nobody else has committed since it began.
  NOPAL_ASSERT(why == state::retrying || !has_token_);
  state_ = why;
  filter_ = every_cell;  // so that the next access looks at the state
  throw transaction_unwinding{};
}

void transaction_core::unwind_to_retry() {
  check_alive();
  unwind(state::retrying);
}

// --- parts of a transaction ----------------------------------------------------------------------

transaction_core::savepoint transaction_core::save() {
  check_alive();
  const savepoint s{log_->writes.here(),    log_->reads.size(),     log_->made.size(),
                    log_->destroyed.size(), log_->on_commit.size(), log_->on_abort.size()};
  log_->writes.keep_before(s.writes);
  return s;
}

void transaction_core::keep(const savepoint& s) {
  check_alive();
  log_->writes.forget(s.writes);
}

void transaction_core::undo(const savepoint& s) noexcept {
  // The filter keeps the bits of what is undone. They cost a look.
  log_->writes.take_back(s.writes);
  log_->destroyed.take_back(s.destroyed);
  log_->on_commit.resize(s.on_commit);
  for (; log_->on_abort.size() > s.on_abort; log_->on_abort.pop_back()) log_->on_abort.back()();
  if (log_->made.size() != s.made)
    log_->made.take_back(s.made, has_read_only_older(s.reads), log_->freed);
}

/// Returns whether all that the read log has from place `from` on is older than this attempt: a
/// commit before the attempt has written it. So no constructor has allocated it meanwhile.
bool transaction_core::has_read_only_older(std::size_t from) const noexcept {
  const std::uint64_t start = log_->start.load(std::memory_order_relaxed);
  return std::all_of(log_->reads.begin() + from, log_->reads.end(), [&](const versioned_lock* l) {
    const versioned_lock::word w = l->load(std::memory_order_relaxed);
    return w != 0 && w <= start;
  });
}

bool transaction_core::undo_if_it_retries(const savepoint& s) noexcept {
  if (state_ != state::retrying) return false;
  undo(s);
  state_ = state::active;
  return true;
}

void transaction_core::add_made(const made_log::made_block& b) {
  check_alive();
  log_->made.add(b);
  made_filter_ |= line_bits(b.what.block, b.bytes);
  filter_ |= 1;
}

void transaction_core::add_destroyed(const owned_block& b, versioned_lock* lock) {
  check_alive();
  const std::size_t before = log_->destroyed.size();
  if (!log_->destroyed.add(b))
    throw std::logic_error(
        "nopal: destroy of an object that this transaction, or one before it on this thread, has "
        "destroyed already; an object is destroyed once, by whoever takes it out of reach");
  if (lock == nullptr) return;
  try {
    give_last_version(*lock);
  } catch (...) {
    log_->destroyed.take_back(before);
    throw;
  }
}

void transaction_core::add_on_commit(std::function<void()> f) {
  check_alive();
  log_->on_commit.push_back(std::move(f));
}

void transaction_core::add_on_abort(std::function<void()> f) {
  check_alive();
  log_->on_abort.push_back(std::move(f));
}

// --- the end of an attempt -----------------------------------------------------------------------

/// Ends an attempt that has committed, or whose writes are undone. The logs are empty then.
void transaction_core::end() noexcept {
  log_->reads.clear();
  log_->writes.clear();
  log_->destroyed.clear();
  state_ = state::idle;
  // Pairs with the acquire in oldest_start(): the reads of this attempt come before anything is
  // freed that it may have read.
  log_->start.store(transaction_log::idle, std::memory_order_release);
  give_token_back();
}

void transaction_core::give_token_back() noexcept {
  if (!std::exchange(has_token_, false)) return;
  token_of_stm.give_back();
}

/// Undoes an attempt that has not committed, and ends it.
void transaction_core::roll_back() noexcept {
  // Users' code runs last, because it may run transactions.
  const std::vector<std::function<void()>> on_abort = std::exchange(log_->on_abort, {});
  log_->on_commit.clear();
  end();
  std::for_each(on_abort.rbegin(), on_abort.rend(), [](const auto& f) { f(); });
  log_->made.take_back(0, true, log_->freed);
  log_->made.free_undone(log_->freed);
}

bool transaction_core::body_has_thrown() noexcept {
  if (state_ == state::idle) return true;  // the exception came after the commit
  if (state_ != state::active) return false;
  roll_back();
  return true;
}

bool transaction_core::wait_to_begin_again(const retry_limits* within) {
  if (!prepare_to_begin_again()) return true;
  retry_operation o(*this);
  if (within == nullptr) return conclude<retry_operation>(wait_until_done(o), nullptr);
  return conclude<retry_operation>(wait_until_done(o, {within->stop, within->deadline}),
                                   within->error);
}

bool transaction_core::may_begin(const retry_limits& within) {
  return conclude<retry_operation>(within.stop.stop_requested() ? decision::stopped : 0,
                                   within.error);
}

bool transaction_core::prepare_to_begin_again() {
  const state why = state_;
  NOPAL_ASSERT(why != state::idle && why != state::active);
  if (why == state::retrying) {
    prepare_to_sleep();
    return true;
  }
  log_->count(stm_count::conflicts);
  ++attempts_;
  roll_back();
  if (why == state::kept_out)
    token_of_stm.wait_until_free();
  else
    back_off();
  return false;
}

/// Undoes an attempt that has called retry. What it has read stays in the log: the transaction
/// sleeps until some of that changes.
void transaction_core::prepare_to_sleep() {
  const bool nothing_read = log_->reads.empty();
  if (irrevocable_ || nothing_read) {
    roll_back();
    throw std::logic_error(
        nothing_read ? "nopal: retry in a transaction that has read nothing, or only what it has "
                       "made itself, so that nothing would ever wake it; read what it waits for"
                     : "nopal: retry in an irrevocable transaction, which cannot be repeated; wait "
                       "before it begins");
  }
  log_->count(stm_count::retries);
  give_token_back();
  undo({});
}

bool transaction_core::sleep(sleeping_transaction& s) noexcept {
  return transactions_in_retry.add(s);
}

void transaction_core::end_sleep(sleeping_transaction& s) noexcept {
  transactions_in_retry.remove(s);
}

void transaction_core::wake_up() noexcept {
  attempts_ = 0;
  end();
  log_->made.free_undone(log_->freed);
}

#ifdef NOPAL_CHECK
noted_wait::reason transaction_core::as_reason() const noexcept {
  const auto describe = [](const void* self, char* text, std::size_t bytes) noexcept {
    const std::size_t n = static_cast<const transaction_core*>(self)->locations_read();
    std::snprintf(text, bytes,
                  "a strand, task or thread in retry() for a change to what its transaction has "
                  "read: %zu location%s",
                  n, n == 1 ? "" : "s");
  };
  return {describe, this};
}
#endif

/// Lets some time pass after a conflict: a random time, longer after each conflict, so that
/// transactions get out of each other's way.
void transaction_core::back_off() noexcept {
  if (attempts_ > attempts_before_yield) sched_yield();
  // This is Marsaglia's xorshift.
  std::uint64_t& x = log_->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  const std::uint64_t most = std::uint64_t{8} << std::min(attempts_, 8U);
  for (std::uint64_t n = x % most; n != 0; --n) cpu_relax();
}

}  // namespace nopal::detail
