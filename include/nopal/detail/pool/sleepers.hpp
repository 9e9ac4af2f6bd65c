// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

/// Consumers that wait until there is something to get, and the producers that wake them. A
/// producer reads one word, after its element is there. A consumer writes that word, then executes
/// the heavy fence, and then looks for an element once more. docs/pool.md has the protocol and its
/// argument; tests/models/pool_wait.pml is the model.
///
/// One consumer is woken at a time. Until it has come back, puts wake nobody; so a consumer that
/// was woken and leaves, with an element or without, wakes the next.
class pool_sleepers {
 public:
  explicit pool_sleepers(unsigned consumers)
      : words_((consumers + 63) / 64),
        waiting_(new std::atomic<std::uint64_t>[words_] {}),
        decisions_(consumers) {}

  /// Wakes a consumer if one may wait. A producer calls this behind a light fence.
  NOPAL_ALWAYS_INLINE void notify() noexcept {
    if (wanted_.load(relaxed_at_fence) != 0) [[unlikely]]
      wake_if_wanted();  // pairs with announce()
  }

  /// Wakes a consumer, if one waits.
  void wake_one() noexcept;
  /// Wakes all consumers: the pool is closed.
  void wake_all() noexcept;

  /// A consumer that waits. This lies with the wait.
  class sleeper : public withdrawable {
   public:
    sleeper(pool_sleepers& s, unsigned consumer) noexcept
        : withdrawable{withdraw_by_limit}, sleepers_(&s), consumer_(consumer) {}

    /// Says that `d` is to be served from now on. The consumer then executes the heavy fence and
    /// looks for an element.
    void announce(decision& d) noexcept {
      d.is_known_by(*this);
      sleepers_->decisions_[consumer_] = &d;
      // Pairs with take_from() and wake_all(), which read the decision.
      word().fetch_or(bit(), std::memory_order_seq_cst);
      sleepers_->wanted_.store(1, std::memory_order_seq_cst);  // pairs with notify()
    }
    /// Takes back what announce() has said. Returns false if somebody serves the decision, or a
    /// limit has ended the wait.
    bool withdraw() noexcept {
      // No order is needed: of those that clear a bit one finds it set.
      return (word().fetch_and(~bit(), std::memory_order_relaxed) & bit()) != 0;
    }

   private:
    static bool withdraw_by_limit(withdrawable& self) noexcept {
      return static_cast<sleeper&>(self).withdraw();
    }
    std::atomic<std::uint64_t>& word() const noexcept {
      return sleepers_->waiting_[consumer_ / 64];
    }
    [[nodiscard]] std::uint64_t bit() const noexcept { return std::uint64_t{1} << consumer_ % 64; }

    pool_sleepers* sleepers_;
    unsigned consumer_;
  };

 private:
  /// Wakes one consumer, unless another producer does so already.
  NOPAL_NOINLINE void wake_if_wanted() noexcept;
  decision* take() noexcept;
  decision* take_from(unsigned word, std::uint64_t among) noexcept;

  /// Somebody may wait whom nobody has woken yet.
  alignas(cache_line) std::atomic<std::uint32_t> wanted_{0};
  /// The consumer that comes first when one is woken, so that none is passed over for ever.
  alignas(cache_line) std::atomic<unsigned> next_{0};
  unsigned words_;
  /// A bit for each consumer that waits and is not being served.
  std::unique_ptr<std::atomic<std::uint64_t>[]> waiting_;
  std::vector<decision*> decisions_;  ///< The decision of each consumer whose bit is set.
};

}  // namespace nopal::detail
