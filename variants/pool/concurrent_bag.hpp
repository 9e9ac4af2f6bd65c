// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"
#include "nopal/detail/pool/chunked_share.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/node_list.hpp"

namespace nopal::detail {

/// Concurrent bags (Sundell, Gidenstam, Papatriantafilou and Tsigas, SPAA 2011) as the paper on
/// SALSA compares itself with them: a list of chunks for each producer, from which any consumer
/// takes single elements by a compare-and-swap of the slot, and searches for them slot by slot.
/// Each consumer begins with a producer of its own, and not with the one where it found something
/// last. The paper (section 1.6.3) found that to be faster by half.
///
/// The lists belong to all consumers. So a consumer cannot steal what it cannot take.
///
/// get() is lock-free.
template <class T>
class concurrent_bag : public chunked_share<T> {
  using base = chunked_share<T>;

 public:
  struct common : chunked_common<T> {
    explicit common(const sc_pool_options& o)
        : chunked_common<T>(o), lists(o.producers), indicator(o.consumers) {}
    std::vector<node_list> lists;  ///< One for each producer.
    empty_indicator indicator;
  };
  using typename base::producer_end;

  concurrent_bag(common& shared, unsigned consumer) : base(shared, consumer), shared_(shared) {}

  template <class... A>
  bool put_if_room(producer_end& in, A&&... args) {
    if (in.is_full() && !base::open_chunk(shared_.lists[in.id], in, false)) [[unlikely]]
      return false;
    base::put_next(in, std::forward<A>(args)...);
    return true;
  }
  template <class... A>
  void put(producer_end& in, A&&... args) {
    if (in.is_full()) base::open_chunk(shared_.lists[in.id], in, true);
    base::put_next(in, std::forward<A>(args)...);
  }

  bool get(std::optional<T>& to) {
    if (current_.chunk != nullptr && take(to)) return true;
    const std::size_t lists = shared_.lists.size();
    for (std::size_t k = 0; k < lists; ++k)
      if (get_from(shared_.lists[(id_ + k) % lists], to)) return true;
    return false;
  }

  bool steal(concurrent_bag& /*victim*/, std::optional<T>& /*to*/) noexcept { return false; }

  /// Looks at every n-th list from that of the consumer's number on, if there are n consumers.
  [[nodiscard]] bool is_empty(unsigned /*consumer*/) const noexcept {
    for (std::size_t p = id_; p < shared_.lists.size(); p += shared_.options.consumers)
      if (!base::list_is_empty(shared_.lists[p], may_have_elements)) return false;
    return true;
  }

  void set_indicator(unsigned consumer) noexcept { shared_.indicator.set(consumer); }
  [[nodiscard]] bool check_indicator(unsigned consumer) const noexcept {
    return shared_.indicator.is_set(consumer);
  }

  void let_go() noexcept {
    current_ = {};
    base::own_hazard().set(nullptr, nullptr);
    base::reclaim();
  }

 private:
  using base::id_;
  using typename base::chunk_type;
  using typename base::slot;

  bool get_from(node_list& list, std::optional<T>& to) {
    return base::take_from_one_of(list, [&](const node_sight& at) {
      return may_have_elements(at) && make_current(at) && take(to);
    });
  }

  bool make_current(const node_sight& at) noexcept {
    current_ = {};
    if (!base::set_hazard(at)) return false;
    current_ = at;
    at_ = 0;
    return true;
  }

  /// Slots below at_ are taken. They stay so as long as the hazard is on the chunk.
  bool take(std::optional<T>& to) {
    auto& c = static_cast<chunk_type&>(*current_.chunk);
    for (;;) {
      typename slot::sight seen = c[at_].look(std::memory_order_acquire);  // pairs with put_next()
      if (slot::is_vacant(seen)) break;
      const std::uint32_t i = at_++;
      if (!slot::is_full(seen) || !base::take_by_cas(c[i], seen)) continue;
      shared_.indicator.clear_if_set();
      base::get_taken(c, i, seen, to, false);
      return true;
    }
    if (at_ == c.size) retire_once(c);
    return false;
  }

  /// Precondition: all slots are taken. Several consumers may see that, and one of them retires the
  /// chunk.
  void retire_once(chunk_type& c) noexcept {
    owner_word word = current_.word;
    current_ = {};
    emit<pool_events::retiring>();
    // Pairs with itself, and with set_hazard().
    if (c.owner.compare_exchange_strong(word, passed_to(nobody, word), std::memory_order_seq_cst,
                                        std::memory_order_relaxed))
      base::use_again_when_left(c, word);
  }

  static bool may_have_elements(const node_sight& at) noexcept {
    for (std::uint32_t i = 0; i < at.chunk->size; ++i) {
      // Pairs with put_next().
      const typename slot::sight seen = base::slot_of(*at.chunk, i).look(std::memory_order_acquire);
      if (slot::is_full(seen)) return true;
      if (slot::is_vacant(seen)) return false;
    }
    return true;  // the chunk is yet to be retired
  }

  node_sight current_;
  std::uint32_t at_ = 0;
  common& shared_;
};

}  // namespace nopal::detail
