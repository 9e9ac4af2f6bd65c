// SPDX-License-Identifier: Apache-2.0
// The state of an object of nopal/sync.hpp and those that wait for it to change. docs/sync.md has
// the protocol and its argument.
#pragma once

#include <atomic>
#include <concepts>
#include <mutex>
#include <optional>

#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

/// A word that is the whole state of an object, and the list of those that wait for it to change.
/// Its lowest bit says that the list may not be empty. What the other bits are is the matter of the
/// object.
///
/// Whoever changes the word while that bit is clear needs one atomic instruction. Whoever finds it
/// set takes the list first, and clears it. So the change itself is the last access to the object,
/// which may be gone afterwards, and those that were taken go on only then.
template <std::unsigned_integral Word>
class awaited_word {
 public:
  static constexpr Word is_awaited = 1;

  explicit awaited_word(Word w) noexcept : word(w) {}

  /// Changes the word to what `after(word)` returns, or lists `o` if that is nothing. Returns
  /// whether it has changed it.
  template <class After>
  bool change_or_list(offer& o, After&& after) noexcept {
    const std::lock_guard held(lock);
    Word seen = word.load(std::memory_order_relaxed);
    for (;;) {
      const std::optional<Word> next = after(seen);
      // The acquire pairs with the releases of whoever has changed the word before.
      if (!word.compare_exchange_weak(seen, next.value_or(seen | is_awaited),
                                      std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      if (!next) waiting.push_back(o);
      return next.has_value();
    }
  }

  /// Takes `o` out of the list, after a limit has ended its wait.
  void unlist(offer& o) noexcept {
    const std::lock_guard held(lock);
    o.unlink();
    clear_if_empty();
  }

  /// Changes the word to what `after(word)` returns, and lets all go on that wait. The object may
  /// be gone when this returns.
  template <class After>
  void change_for_all(After&& after) noexcept {
    taken_offers ended;
    Word seen = word.load(std::memory_order_relaxed);
    do {
      while ((seen & is_awaited) != 0) {
        {
          const std::lock_guard held(lock);
          ended.add_all(waiting);
          clear_if_empty();
        }
        seen = word.load(std::memory_order_relaxed);
      }
      // The release pairs with the acquires of whoever sees the word. The acquire pairs with the
      // releases of whoever has changed it before: those that were taken see that, too.
    } while (!word.compare_exchange_weak(seen, after(seen), std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
    ended.complete();
  }

  /// Clears the lowest bit, if nobody is listed. Precondition: the caller holds the lock.
  void clear_if_empty() noexcept {
    if (waiting.empty()) word.fetch_and(~is_awaited, std::memory_order_relaxed);
  }

  std::atomic<Word> word;
  brief_lock lock;  ///< It guards the list, and nobody is listed without it.
  offer_list waiting;
};

}  // namespace nopal::detail
