// SPDX-License-Identifier: Apache-2.0
// This is a transaction without the types of what it reads and writes. docs/stm.md has the
// protocol, and says why it is right.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stop_token>
#include <system_error>
#include <type_traits>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/configuration.hpp"
#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/cell.hpp"
#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/stm/transaction_log.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

class transaction_core;
/// Unwinds the body of a transaction that cannot go on. It is not derived from std::exception, so
/// that only `catch (...)` stops it.
struct transaction_unwinding {};

/// A transaction that sleeps in retry. This lies on the stack, or in the task, that runs it.
struct sleeping_transaction : offer {
  transaction_core* transaction;
};

/// What may end the wait of a transaction in retry, beside a change. This has no nopal::limits,
/// which is another type in the serial elision.
struct retry_limits {
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline;
  std::error_code* error = nullptr;  ///< Where the error goes, or nullptr if it is thrown.
};

/// One transaction, with all its attempts.
class transaction_core {
 public:
  transaction_core(const transaction_core&) = delete;
  transaction_core& operator=(const transaction_core&) = delete;

  /// \param irrevocable  whether the first attempt must be the last.
  explicit transaction_core(bool irrevocable);
  ~transaction_core();

  /// Begins an attempt.
  void begin();
  /// Returns whether the attempt has taken effect; if not, wait_to_begin_again() is next.
  [[nodiscard]] bool commit();
  /// Notes that the body has thrown something other than transaction_unwinding. Returns whether the
  /// exception is for the caller. If so, the attempt is undone, unless it has committed. If not,
  /// wait_to_begin_again() is next.
  [[nodiscard]] bool body_has_thrown() noexcept;
  /// Undoes the attempt, and returns when it makes sense to begin another. Returns false if a limit
  /// has ended the wait, and its error is left.
  /// \throws std::logic_error after a retry that nothing would ever wake; the error of a limit.
  /// \param within  nullptr if only the stop of the caller's scope ends a wait.
  [[nodiscard]] bool wait_to_begin_again(const retry_limits* within);
  /// Whether a transaction may begin: not if a stop has been requested.
  /// \throws the error of a limit.
  [[nodiscard]] static bool may_begin(const retry_limits& within);

  /// Begins a wait of a task, which has three steps: this, sleep() and wake_up(). Undoes the
  /// attempt. Returns whether it has called retry, so that the other steps follow. If not, it makes
  /// sense to begin another attempt.
  /// \throws std::logic_error after a retry that nothing would ever wake.
  [[nodiscard]] bool prepare_to_begin_again();
  /// Has whoever changes what was read serve the offer `s`. Returns false if there is a change
  /// already.
  [[nodiscard]] static bool sleep(sleeping_transaction& s) noexcept;
  /// Takes back the offer, after a limit has ended the sleep.
  static void end_sleep(sleeping_transaction& s) noexcept;
  /// Ends the transaction's sleep.
  void wake_up() noexcept;
#ifdef NOPAL_CHECK
  /// Returns the reason for which the caller sleeps until it calls wake_up().
  [[nodiscard]] noted_wait::reason as_reason() const noexcept;
#endif

 protected:
  /// Says how far a transaction has come, so that what comes later can be undone.
  struct savepoint {
    write_log::mark writes;
    std::size_t reads;
    std::size_t made;
    std::size_t destroyed;
    std::size_t on_commit;
    std::size_t on_abort;
  };

  /// Returns the value of the cell: what the transaction has written itself, or else what was
  /// committed last, if the attempt may see that. Otherwise the attempt unwinds.
  /// \tparam Reads  the policy of stm that says how a lock is added to the read log.
  template <class Reads, class T>
  [[nodiscard]] NOPAL_ALWAYS_INLINE T read(const versioned_lock& lock, const cell<T>& c) {
    if (filter_ != 0 && ((filter_ & filter_bit(&c)) | (made_filter_ & line_bit(&c))) != 0)
        [[unlikely]] {
      if (const void* words = find_own(&c)) return cell<T>::from(words);
    }
    for (;;) {
      // Pairs with the release in give_locks_back(): if the version is not newer than version_, all
      // that belongs to it is there to be read.
      const versioned_lock::word seen = lock.load(std::memory_order_acquire);
      emit<stm_events::comparing>();
      if (seen > version_) [[unlikely]] {
        make_readable(lock);
        continue;
      }
      // Pairs with the release in write_log::store_all(): whoever sees a new value sees the lock
      // that was taken before it was written.
      const T value = c.load(std::memory_order_acquire);
      emit<stm_events::looking_again>();
      if (lock.load(std::memory_order_relaxed) == seen) [[likely]] {
        Reads::add(log_->reads, lock);
        return value;
      }
    }
  }

  /// Notes that the cell is to have this value. The commit writes it there.
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

  /// Returns the cache that has the memory of what is made.
  [[nodiscard]] block_cache& freed() noexcept { return log_->freed; }
  /// Notes an object that the transaction has made, so that it reads it without a look at locks,
  /// and deletes it if the attempt is undone.
  void add_made(const made_log::made_block& b);
  /// Notes an object that the transaction destroys. The object is deleted after the commit, when no
  /// other transaction can read it any more.
  /// \param lock  the lock of all that lies in the block, or nullptr. It gets its last version.
  /// \throws std::logic_error if the block is destroyed already.
  void add_destroyed(const owned_block& b, versioned_lock* lock);
  void add_on_commit(std::function<void()> f);
  void add_on_abort(std::function<void()> f);

  [[noreturn]] void unwind_to_retry();
  /// Returns how far the transaction has come, before a part of the body that may be undone.
  [[nodiscard]] savepoint save();
  /// Keeps what came after `s`.
  void keep(const savepoint& s);
  /// Undoes what came after `s`. What was read stays in the read log.
  void undo(const savepoint& s) noexcept;
  /// Returns whether the part of the body after `s` has called retry. That part is then undone.
  [[nodiscard]] bool undo_if_it_retries(const savepoint& s) noexcept;
  /// Throws if the transaction cannot go on.
  void check_alive();

  [[nodiscard]] std::size_t locations_read() const noexcept { return log_->reads.size(); }

 private:
  friend class waiting_transactions;

  /// The state of an attempt.
  enum class state : std::uint8_t {
    idle,        ///< No attempt has begun, or it has ended and left nothing.
    active,      ///< The attempt goes on.
    conflicted,  ///< The attempt has to be repeated.
    kept_out,    ///< The attempt has to be repeated when nobody has the token.
    retrying,    ///< The attempt has to be repeated when something that it has read changes.
  };

  /// How often a transaction looks at a lock that is held before this counts as a conflict. The
  /// holder runs no code of users, but it may have been preempted.
  static constexpr unsigned looks_at_held_lock = 64;

  void write_word(const write_place& p, std::uint64_t value);
  void write_long(const write_place& p, const void* words);
  /// Returns the words that the transaction has last written there. Else, if it has made the place
  /// itself, returns the words that lie there, else nullptr.
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
  /// Marks the next version of a lock that is held as the last one. Returns false if the version
  /// before is marked so already: another transaction has destroyed the object.
  [[nodiscard]] static bool mark_last(lock_record& r) noexcept;
  [[nodiscard]] lock_record& record_of(versioned_lock::word w) noexcept;
  void give_locks_back(std::uint64_t version) noexcept;
  void give_locks_back_unchanged() noexcept;
  void end() noexcept;
  void give_token_back() noexcept;
  void roll_back() noexcept;
  void prepare_to_sleep();
  void back_off() noexcept;

  transaction_log* log_;
  std::uint64_t version_ = 0;  ///< The transaction reads what has this version or an older one.
  /// The bits of the cells that it has written, or all bits if it cannot go on. This is not 0 if
  /// made_filter_ is not 0.
  std::uint64_t filter_ = 0;
  std::uint64_t made_filter_ = 0;  ///< The bits of the lines of memory that it has made.
  state state_ = state::idle;
  bool irrevocable_;
  bool has_token_ = false;
  unsigned attempts_ = 0;
};

}  // namespace nopal::detail
