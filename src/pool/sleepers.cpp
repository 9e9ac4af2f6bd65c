// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/sleepers.hpp"

#include <bit>

namespace nopal::detail {

/// Takes the decision of one of the consumers in `among`, which are those of one word, or returns
/// nullptr if none of them waits. Whoever has taken a decision serves it.
decision* pool_sleepers::take_from(unsigned word, std::uint64_t among) noexcept {
  std::atomic<std::uint64_t>& w = waiting_[word];
  // Pairs with announce(): whoever is not seen here looks for an element later.
  std::uint64_t seen = w.load(std::memory_order_seq_cst) & among;
  while (seen != 0) {
    const std::uint64_t bit = seen & (~seen + 1);
    // The acquire pairs with announce(), which has set the decision.
    if ((w.fetch_and(~bit, std::memory_order_acquire) & bit) != 0) {
      const unsigned consumer = word * 64 + static_cast<unsigned>(std::countr_zero(bit));
      next_.store(consumer + 1, std::memory_order_relaxed);
      return decisions_[consumer];
    }
    seen &= ~bit;
  }
  return nullptr;
}

/// Takes the decision of a consumer that waits, in turn.
decision* pool_sleepers::take() noexcept {
  const unsigned from = next_.load(std::memory_order_relaxed) % (words_ * 64);
  const std::uint64_t behind = ~std::uint64_t{0} << from % 64;
  if (decision* d = take_from(from / 64, behind)) return d;
  for (unsigned k = 1; k < words_; ++k)
    if (decision* d = take_from((from / 64 + k) % words_, ~std::uint64_t{0})) return d;
  return take_from(from / 64, ~behind);
}

void pool_sleepers::wake_one() noexcept {
  if (decision* d = take()) d->serve();
}

void pool_sleepers::wake_all() noexcept {
  for (unsigned word = 0; word < words_; ++word) {
    // The acquire pairs with announce(), which has set the decisions. The release does, too:
    // whoever is not seen here sees that the pool is closed.
    std::uint64_t all = waiting_[word].exchange(0, std::memory_order_acq_rel);
    for (; all != 0; all &= all - 1)
      decisions_[word * 64 + static_cast<unsigned>(std::countr_zero(all))]->serve();
  }
}

void pool_sleepers::wake_if_wanted() noexcept {
  if (wanted_.exchange(0, std::memory_order_seq_cst) != 0) wake_one();  // pairs with announce()
}

}  // namespace nopal::detail
