// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/access_lists.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/sc_pool.hpp"

namespace nopal::detail {

/// The shares of all consumers, and the policy, above any mechanism: which threads turn to which
/// share, and when. A producer puts into the nearest share that has room. If none has, it makes
/// room in the nearest. A consumer takes from its own and then steals, from the nearest first.
/// Lock-free if the mechanism is.
template <sc_pool P>
class managed_pool {
 public:
  using value_type = typename P::value_type;

  explicit managed_pool(const pool_options& o)
      : common_(sc_pool_options{o.producers, o.consumers, o.chunk}) {
    const access_lists lists = make_access_lists(o);
    for (unsigned c = 0; c < o.consumers; ++c)
      consumers_.push_back(std::make_unique<consumer_side>(common_, c));
    for (unsigned c = 0; c < o.consumers; ++c) consumers_[c]->list = in_order(lists.of_consumer[c]);
    for (unsigned p = 0; p < o.producers; ++p)
      producers_.push_back(std::make_unique<producer_side>(p, in_order(lists.of_producer[p])));
  }

  using access_list = std::vector<P*>;

  /// The data that a producer has to itself; consumer_side has those of a consumer. Handles refer
  /// to them: to look for them with every element would take some five loads more.
  struct alignas(cache_line) producer_side {
    producer_side(unsigned id, access_list pools)
        : end(id), nearest(pools.front()), list(std::move(pools)) {}
    typename P::producer_end end;
    P* nearest;
    access_list list;
  };
  struct consumer_side {
    consumer_side(typename P::common& shared, unsigned consumer)
        : own(shared, consumer), id(consumer) {}
    P own;
    const unsigned id;
    access_list list;  ///< The first is its own.
  };

  producer_side& producer(unsigned id) noexcept { return *producers_[id]; }
  consumer_side& consumer(unsigned id) noexcept { return *consumers_[id]; }

  /// Puts an element that is made from `args`. One thread at a time does so for each producer. An
  /// exception leaves the pool as it was.
  template <class... A>
  NOPAL_ALWAYS_INLINE void put(producer_side& me, A&&... args) {
    // If put_if_room() returns false, it has left its arguments alone.
    if (!me.nearest->put_if_room(me.end, std::forward<A>(args)...)) [[unlikely]]
      // NOLINTNEXTLINE(bugprone-use-after-move)
      put_elsewhere(me, std::forward<A>(args)...);
  }

  /// Moves an element to `to`. Returns false only if there was none at some moment of the call. One
  /// thread at a time calls it for each consumer.
  /// \param fenced  makes an element count, too, whose producer has put it without looking yet
  /// whether somebody sleeps.
  NOPAL_ALWAYS_INLINE bool get(consumer_side& me, std::optional<value_type>& to,
                               bool fenced = false) {
    if (me.own.get(to)) [[likely]]
      return true;
    return get_elsewhere(me, to, fenced);
  }

  /// Like get(), but looks once at each share and does not find out whether all are empty.
  NOPAL_ALWAYS_INLINE bool try_get(consumer_side& me, std::optional<value_type>& to) {
    return me.own.get(to) || steal(me, to);
  }

  /// Like get(), but may find nothing though there is something.
  bool get_if_near(consumer_side& me, std::optional<value_type>& to) { return me.own.get(to); }

  /// Says that the consumer will not come back soon.
  void let_go(consumer_side& me) noexcept { me.own.let_go(); }

 private:
  /// Returns the shares that a list names by their consumers.
  access_list in_order(const std::vector<unsigned>& list) const {
    access_list pools;
    for (const unsigned c : list) pools.push_back(&consumers_[c]->own);
    return pools;
  }

  /// Does what put() does if the nearest share has no room.
  template <class... A>
  NOPAL_NOINLINE void put_elsewhere(producer_side& me, A&&... args) {
    for (P* p : me.list)  // the first once more: it may have got room
      // NOLINTNEXTLINE(bugprone-use-after-move): as in put()
      if (p->put_if_room(me.end, std::forward<A>(args)...)) return;
    me.nearest->put(me.end, std::forward<A>(args)...);
  }

  /// Steals an element from the first share that has one, from the nearest on.
  NOPAL_NOINLINE bool steal(consumer_side& me, std::optional<value_type>& to) {
    for (std::size_t i = 1; i < me.list.size(); ++i)
      if (me.own.steal(*me.list[i], to)) return true;
    return false;
  }

  /// Does what get() does if the consumer's own share seems to be empty.
  NOPAL_NOINLINE bool get_elsewhere(consumer_side& me, std::optional<value_type>& to, bool fenced) {
    for (;;) {
      if (steal(me, to)) return true;
      // A steal may have got a chunk and not its first element.
      if (me.own.get(to)) return true;
      emit<pool_events::checking>();
      if (is_empty(me.id, fenced)) return false;
    }
  }

  /// Returns true only if there was no element in any share at some moment during the call. The
  /// indicators of all shares are set before the first look, and seen to be still set after the
  /// last. So no operation that may have emptied a share has come to its end in between, and each
  /// of the other consumers is at most in the middle of one. There is one traversal more than there
  /// are others, so during one of them nothing happened (docs/pool.md).
  bool is_empty(unsigned consumer, bool fenced) {
    for (const auto& c : consumers_) c->own.set_indicator(consumer);
    if (fenced)
      heavy_fence();  // pairs with light_fence() in pool_producer
    else
      full_fence();  // no look moves before the indicators
    for (std::size_t round = 0; round < consumers_.size(); ++round)
      for (const auto& c : consumers_) {
        emit<pool_events::looking>();
        if (!c->own.is_empty(consumer) || !c->own.check_indicator(consumer)) return false;
      }
    for (const auto& c : consumers_)
      if (!c->own.check_indicator(consumer)) return false;
    return true;
  }

  typename P::common common_;
  std::vector<std::unique_ptr<consumer_side>> consumers_;
  std::vector<std::unique_ptr<producer_side>> producers_;
};

}  // namespace nopal::detail
