// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/config.hpp"
#include "nopal/detail/fence.hpp"
#include "nopal/detail/full_fence.hpp"
#include "nopal/detail/hook.hpp"
#include "nopal/detail/pool/access_lists.hpp"
#include "nopal/detail/pool/sc_pool.hpp"

namespace nopal::detail {

/// A pool for each consumer, and who turns to which when: the policy, above any mechanism. A producer puts into the nearest
/// pool that has room, and makes room in the nearest where none has. A consumer takes from its own and then steals, from
/// the nearest first. Lock-free where the mechanism is.
template <sc_pool P>
class managed_pool {
 public:
  using value_type = typename P::value_type;

  explicit managed_pool(const pool_options& o)
      : common_(sc_pool_options{o.producers, o.consumers, o.chunk}) {
    const access_lists lists = make_access_lists(o);
    for (unsigned c = 0; c < o.consumers; ++c) pools_.push_back(std::make_unique<P>(common_, c));
    for (unsigned p = 0; p < o.producers; ++p)
      producers_.push_back(std::make_unique<producer_side>(p, in_order(lists.of_producer[p])));
    for (const auto& list : lists.of_consumer) consumers_.push_back(in_order(list));
  }

  /// By one thread at a time for each producer. An exception leaves the pool as it was.
  template <class... A>
  NOPAL_ALWAYS_INLINE void put(unsigned producer, A&&... args) {
    producer_side& me = *producers_[producer];
    if (!me.nearest->produce(me.end, std::forward<A>(args)...)) [[unlikely]] put_elsewhere(me, std::forward<A>(args)...);
  }

  /// By one thread at a time for each consumer. Moves a task to `to`; false only if there was none at some moment of the
  /// call.
  /// \param fenced  in such a way that also a task counts which a producer had put without looking whether somebody sleeps.
  NOPAL_ALWAYS_INLINE bool get(unsigned consumer, std::optional<value_type>& to, bool fenced = false) {
    if (consumers_[consumer].front()->consume(to)) [[likely]] return true;
    return get_elsewhere(consumer, to, fenced);
  }

  /// As get(), but may find nothing though there is something.
  bool get_if_near(unsigned consumer, std::optional<value_type>& to) { return consumers_[consumer].front()->consume(to); }

  /// The consumer will not come back soon.
  void let_go(unsigned consumer) noexcept { consumers_[consumer].front()->let_go(); }

 private:
  using access_list = std::vector<P*>;

  struct alignas(cache_line) producer_side {
    producer_side(unsigned id, access_list pools) : end(id), nearest(pools.front()), list(std::move(pools)) {}
    typename P::producer_end end;
    P* nearest;
    access_list list;
  };

  access_list in_order(const std::vector<unsigned>& list) const {
    access_list pools;
    for (const unsigned c : list) pools.push_back(pools_[c].get());
    return pools;
  }

  template <class... A>
  NOPAL_NOINLINE void put_elsewhere(producer_side& me, A&&... args) {
    for (P* p : me.list)  // the first once more: it may have got room
      if (p->produce(me.end, std::forward<A>(args)...)) return;
    me.nearest->produce_force(me.end, std::forward<A>(args)...);
  }

  NOPAL_NOINLINE bool get_elsewhere(unsigned consumer, std::optional<value_type>& to, bool fenced) {
    const access_list& list = consumers_[consumer];
    P& mine = *list.front();
    for (;;) {
      for (std::size_t i = 1; i < list.size(); ++i)
        if (mine.steal(*list[i], to)) return true;
      if (mine.consume(to)) return true;  // a thief may have got a chunk and not its first task
      hook(step::pool_checking);
      if (is_empty(consumer, fenced)) return false;
    }
  }

  /// True only if there was no task in any pool at some moment during the call. The indicators of all pools are set before
  /// the first look, and seen to be still set after the last: so no operation that may have emptied a pool has come to its
  /// end between, and each of the other consumers can have come to nothing but the middle of one. With one traversal more
  /// than there are others, nothing happened during one of them (docs/pool.md).
  bool is_empty(unsigned consumer, bool fenced) {
    for (const auto& p : pools_) p->set_indicator(consumer);
    if (fenced)
      heavy_fence();  // pairs with light_fence() in pool_producer
    else
      full_fence();  // no look moves before the indicators
    for (std::size_t round = 0; round < pools_.size(); ++round)
      for (const auto& p : pools_) {
        hook(step::pool_looking);
        if (!p->is_empty(consumer) || !p->check_indicator(consumer)) return false;
      }
    for (const auto& p : pools_)
      if (!p->check_indicator(consumer)) return false;
    return true;
  }

  typename P::common common_;
  std::vector<std::unique_ptr<P>> pools_;  ///< By consumer.
  std::vector<std::unique_ptr<producer_side>> producers_;
  std::vector<access_list> consumers_;  ///< Each begins with the consumer's own pool.
};

}  // namespace nopal::detail
