// SPDX-License-Identifier: Apache-2.0
// A transaction without the types of what it reads and writes. docs/stm.md has the protocol and its
// argument.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/configuration.hpp"
#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/cell.hpp"
#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/stm/transaction_log.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"

namespace nopal::detail {

class transaction_core;
class waiter;

/// Unwinds the body of a transaction that cannot go on. Not derived from std::exception, so that
/// only `catch (...)` stops it.
struct transaction_unwinding {};

/// Lies on the stack, or in the task, whose transaction sleeps in retry.
struct sleeping_transaction {
  transaction_core* transaction;
  waiter* waits = nullptr;
  sleeping_transaction* next = nullptr;
};

/// One transaction, with all its attempts.
class transaction_core {
 public:
  transaction_core(const transaction_core&) = delete;
  transaction_core& operator=(const transaction_core&) = delete;

  /// \param irrevocable  the first attempt must be the last.
  explicit transaction_core(bool irrevocable);
  ~transaction_core();

  /// An attempt begins.
  void begin();
  /// Whether it has taken effect; if not, wait_to_begin_again() is next.
  [[nodiscard]] bool commit();
  /// The body has thrown what is not transaction_unwinding. Undoes the attempt. Returns whether the
  /// exception is for the caller.
  [[nodiscard]] bool body_has_thrown() noexcept;
  /// Undoes the attempt, and returns when it makes sense to begin another.
  /// \throws std::logic_error after a retry that nothing would ever wake.
  void wait_to_begin_again();

  /// For a task, which waits in three steps. Undoes the attempt. Returns whether it has retried, so
  /// that it is to sleep(); if not, it makes sense to begin another.
  /// \throws as wait_to_begin_again().
  [[nodiscard]] bool prepare_to_begin_again();
  /// Announces that `w` waits for a change to what was read. Returns false if there is one already.
  [[nodiscard]] static bool sleep(sleeping_transaction& s, waiter& w) noexcept;
  /// There may be one.
  void wake_up() noexcept;
#ifdef NOPAL_CHECK
  /// Why the caller sleeps, until it calls wake_up().
  [[nodiscard]] noted_wait::reason as_reason() const noexcept;
#endif

 protected:
  /// How far a transaction has come, so that a part of it can be undone.
  struct savepoint {
    write_log::mark writes;
    std::size_t reads;
    std::size_t made;
    std::size_t destroyed;
    std::size_t on_commit;
    std::size_t on_abort;
  };

  /// \tparam Reads  a policy of stm: how a lock is added to the read log.
  template <class Reads, class T>
  [[nodiscard]] NOPAL_ALWAYS_INLINE T read(const versioned_lock& lock, const cell<T>& c) {
    if (filter_ != 0 && ((filter_ & filter_bit(&c)) | (made_filter_ & line_bit(&c))) != 0)
        [[unlikely]] {
      if (const void* words = find_own(&c)) return cell<T>::from(words);
    }
    for (;;) {
      // Pairs with the release in give_locks_back(): a version that is not newer than ours says
      // that all which belongs to it is there to be read.
      const versioned_lock::word seen = lock.load(std::memory_order_acquire);
      if (!emit<stm_events::comparing>() && seen > version_) [[unlikely]] {
        make_readable(lock);
        continue;
      }
      // Pairs with the release in write_log::store_all(): whoever sees a new value sees the lock
      // that was taken before it was written.
      const T value = c.load(std::memory_order_acquire);
      if (emit<stm_events::looking_again>() || lock.load(std::memory_order_relaxed) == seen)
          [[likely]] {
        Reads::add(log_->reads, lock);
        return value;
      }
    }
  }

  template <class T>
  void write(versioned_lock& lock, cell<T>& c, const std::type_identity_t<T>& value) {
    const auto words = cell<T>::image_of(value);
    const write_place p{c.first_word(), &lock, cell<T>::words, sizeof(words[0])};
    if constexpr (cell<T>::words > 1) {
      write_long(p, words.data());
    } else {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, words.data(), sizeof(words));
      write_word(p, bytes);
    }
  }

  /// Where the memory of what is made comes from.
  [[nodiscard]] block_cache& freed() noexcept { return log_->freed; }
  void add_made(const made_log::made_block& b);
  /// \param lock  of all that lies in the block, or nullptr: it gets its last version.
  /// \throws std::logic_error if it is destroyed already.
  void add_destroyed(const owned_block& b, versioned_lock* lock);
  void add_on_commit(std::function<void()> f);
  void add_on_abort(std::function<void()> f);

  [[noreturn]] void unwind_to_retry();
  [[nodiscard]] savepoint save();
  /// What came after `s` stays.
  void keep(const savepoint& s);
  /// Undoes what came after `s`, but for what was read.
  void undo(const savepoint& s) noexcept;
  /// Whether the part of the body after `s` has called retry; it is then undone.
  [[nodiscard]] bool undo_if_it_retries(const savepoint& s) noexcept;
  /// Throws if the transaction cannot go on.
  void check_alive();

  [[nodiscard]] std::size_t locations_read() const noexcept { return log_->reads.size(); }

 private:
  friend class waiting_transactions;

  /// What an attempt has come to.
  enum class state : std::uint8_t {
    idle,        ///< None has begun, or it has ended and left nothing.
    active,      ///< It goes on.
    conflicted,  ///< It has to be repeated.
    kept_out,    ///< Likewise, when nobody has the token.
    retrying,    ///< Likewise, when something that it has read changes.
  };

  void write_word(const write_place& p, std::uint64_t value);
  void write_long(const write_place& p, const void* words);
  /// The words of what was last written there, or that lie there if the transaction has made it
  /// itself; nullptr if neither.
  NOPAL_NOINLINE const void* find_own(const void* first_word);
  NOPAL_NOINLINE void make_readable(const versioned_lock& lock);
  [[noreturn]] void meet_destroyed(versioned_lock::word w);
  void give_last_version(versioned_lock& lock);
  void extend();
  [[noreturn]] void unwind(state why);

  [[nodiscard]] bool is_unchanged() const noexcept;
  [[nodiscard]] bool has_read_only_older(std::size_t from) const noexcept;
  [[nodiscard]] bool is_own(versioned_lock::word w) const noexcept;
  [[nodiscard]] bool commit_writes();
  [[nodiscard]] bool enter_commit() noexcept;
  [[nodiscard]] bool take_locks();
  [[nodiscard]] lock_record& record_of(versioned_lock::word w) noexcept;
  void give_locks_back(std::uint64_t version) noexcept;
  void give_locks_back_unchanged() noexcept;
  void end() noexcept;
  void give_token_back() noexcept;
  void roll_back() noexcept;
  void prepare_to_sleep();
  void back_off() noexcept;

  transaction_log* log_;
  std::uint64_t version_ = 0;  ///< It reads what has this version or an older one.
  /// Bits of the cells that it has written; all if it cannot go on. Not 0 if made_filter_ is not.
  std::uint64_t filter_ = 0;
  std::uint64_t made_filter_ = 0;  ///< Bits of the lines that it has made.
  state state_ = state::idle;
  bool irrevocable_;
  bool has_token_ = false;
  unsigned attempts_ = 0;
};

}  // namespace nopal::detail
