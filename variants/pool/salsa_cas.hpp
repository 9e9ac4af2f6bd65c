// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"
#include "nopal/detail/pool/chunked_share.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/node_list.hpp"

namespace nopal::detail {

/// SALSA+CAS of the paper on SALSA, section 1.6.2: SALSA without ownership. The chunks are those of
/// SALSA, but whoever takes an element, the pool's consumer or another, takes that one alone, by a
/// compare-and-swap of the index. What SALSA gains is measured against this.
///
/// The chunk's owner is the consumer in whose pool it lies until its last element has been taken.
/// Whoever executes a compare-and-swap of an index has its hazard on chunk and node, so neither is
/// used for something else meanwhile.
///
/// get() and steal() are lock-free.
template <class T>
class salsa_cas : public chunked_share<T> {
  using base = chunked_share<T>;

 public:
  using common = chunked_common<T>;
  using typename base::producer_end;

  salsa_cas(common& shared, unsigned consumer)
      : base(shared, consumer),
        lists_(shared.options.producers),
        indicator_(shared.options.consumers) {}

  template <class... A>
  bool put_if_room(producer_end& in, A&&... args) {
    if (in.is_full() && !base::open_chunk(lists_[in.id], in, false)) [[unlikely]]
      return false;
    base::put_next(in, std::forward<A>(args)...);
    return true;
  }
  template <class... A>
  void put(producer_end& in, A&&... args) {
    if (in.is_full()) base::open_chunk(lists_[in.id], in, true);
    base::put_next(in, std::forward<A>(args)...);
  }

  bool get(std::optional<T>& to) {
    if (current_.chunk != nullptr && take(current_, *this, to)) return true;
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      if (get_from(lists_[begin_at_], to)) return true;
      begin_at_ = (begin_at_ + 1) % lists_.size();  // fair to the producers
    }
    current_ = {};
    return false;
  }

  bool steal(salsa_cas& victim, std::optional<T>& to) {
    const std::size_t lists = victim.lists_.size();
    for (std::size_t k = 0; k < lists; ++k) {
      node_list& list = victim.lists_[(id_ + k) % lists];  // thieves begin in different lists
      for (node_sight at = list.begin(); node_list::next(at) == node_list::step::node;)
        if (may_have_elements(at) && guard(at) && take(at, victim, to)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_empty(unsigned /*consumer*/) const noexcept {
    return std::ranges::all_of(
        lists_, [](node_list& list) { return base::list_is_empty(list, may_have_elements); });
  }

  void set_indicator(unsigned consumer) noexcept { indicator_.set(consumer); }
  [[nodiscard]] bool check_indicator(unsigned consumer) const noexcept {
    return indicator_.is_set(consumer);
  }

  void let_go() noexcept {
    current_ = {};
    guarded_ = {};
    base::own_hazard().set(nullptr, nullptr);
    base::reclaim();
  }

 private:
  using base::id_;
  using typename base::chunk_type;
  using typename base::slot;

  bool get_from(node_list& list, std::optional<T>& to) {
    return base::take_from_one_of(list, [&](const node_sight& at) {
      if (!may_have_elements(at) || !guard(at)) return false;
      current_ = at;
      return take(at, *this, to);
    });
  }

  /// Sets the hazard, so that chunk and node stay what they were when they were seen. Returns false
  /// if they are not that any more.
  bool guard(const node_sight& at) noexcept {
    if (guarded_.node == at.node && guarded_.word == at.word) return true;
    current_ = guarded_ = {};
    if (!base::set_hazard(at)) return false;
    guarded_ = at;
    return true;
  }

  /// \param from  the pool that the node is in.
  bool take(const node_sight& at, salsa_cas& from, std::optional<T>& to) {
    auto& c = static_cast<chunk_type&>(*at.chunk);
    std::uint32_t i = at.node->index.load(std::memory_order_acquire);  // pairs with itself below
    typename slot::sight seen{};
    do {
      seen = c[i].look(std::memory_order_acquire);  // pairs with put_next()
      if (slot::is_vacant(seen)) return false;
      emit<pool_events::swapping>();
      // Pairs with itself, and with empty_indicator::set().
    } while (!at.node->index.compare_exchange_weak(i, i + 1, std::memory_order_seq_cst,
                                                   std::memory_order_acquire));
    from.indicator_.clear_if_set();
    c[i].take_alone(std::memory_order_relaxed);  // the pool's end looks at the mark
    base::get_taken(c, i, seen, to, i + 1 == c.size);
    return true;
  }

  static bool may_have_elements(const node_sight& at) noexcept {
    // Pairs with take().
    return base::has_element(*at.chunk, at.node->index.load(std::memory_order_acquire));
  }

  // The hazard is on `guarded_`. `current_` is the same, or nothing if `guarded_` is another
  // consumer's.
  node_sight current_;
  node_sight guarded_;
  std::size_t begin_at_ = 0;
  /// One list for each producer. They are on a line of their own, as in salsa.
  alignas(cache_line) mutable std::vector<node_list> lists_;
  empty_indicator indicator_;
};

}  // namespace nopal::detail
