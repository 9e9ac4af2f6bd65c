// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/hazard.hpp"
#include "nopal/detail/pool/node_list.hpp"
#include "nopal/detail/pool/sc_pool.hpp"
#include "nopal/detail/pool/spare_chunks.hpp"

namespace nopal::detail {

/// The data that the pools of a family share.
template <class T>
class chunked_common {
 public:
  explicit chunked_common(const sc_pool_options& o) : options(o), hazards(o.consumers) {}
  ~chunked_common() {
    chunks.for_each([](chunk_header* c) { chunk<T>::destroy(static_cast<chunk<T>*>(c)); });
  }
  chunked_common(const chunked_common&) = delete;
  chunked_common& operator=(const chunked_common&) = delete;

  /// Makes one more chunk, for a producer that finds no spare one.
  /// \throws std::bad_alloc
  chunk<T>* make_chunk() {
    auto destroy = [](chunk<T>* c) { chunk<T>::destroy(c); };
    std::unique_ptr<chunk<T>, decltype(destroy)> made(chunk<T>::make(options.chunk), destroy);
    chunks.add(made.get());
    return made.release();
  }

  /// Whether a consumer may yet store to the index of the node.
  [[nodiscard]] bool is_used(const chunk_node* n) const noexcept {
    for (const hazard& h : hazards)
      if (h.node() == n) return true;
    return false;
  }

  const sc_pool_options options;
  chunk_table chunks;
  std::vector<hazard> hazards;  ///< One for each consumer.
};

/// The share of one consumer, its elements in chunks: how elements come in, one by one, and where
/// empty chunks go. The classes derived from it say how elements are taken: salsa, salsa_cas,
/// concurrent_bag.
template <class T>
class chunked_share {
 public:
  using value_type = T;

  /// The slots that a producer may yet fill. The producer does not care whose chunk they are in.
  struct producer_end {
    explicit producer_end(unsigned number) noexcept : id(number) {}
    unsigned id;
    typename chunk<T>::slot* next = nullptr;
    typename chunk<T>::slot* end = nullptr;

    [[nodiscard]] bool is_full() const noexcept { return next == end; }
  };

 protected:
  using chunk_type = chunk<T>;
  using slot = typename chunk<T>::slot;

  chunked_share(chunked_common<T>& shared, unsigned consumer)
      : common_(shared), id_(consumer), spare_(shared.chunks) {}

  // --- producer ------------------------------------------------------------------------------

  /// Inserts into the producer's chunk. Precondition: the chunk is not full.
  template <class... A>
  NOPAL_ALWAYS_INLINE void put_next(producer_end& in, A&&... args) {
    NOPAL_ASSERT(!in.is_full() && slot::is_vacant(in.next->look(std::memory_order_relaxed)));
    slot& s = *in.next;
    s.make_way();
    s.put(std::forward<A>(args)...);
    in.next = &s + 1;
  }

  /// Puts a chunk into the list, which only this producer writes, for the producer to fill. Returns
  /// false if that would take an allocation and `force` is not set. An exception leaves nothing
  /// behind but a node that the next call uses.
  NOPAL_NOINLINE bool open_chunk(node_list& list, producer_end& in, bool force) {
    list.sweep([this](const chunk_node* n) { return common_.is_used(n); });
    list.reserve();
    auto* c = static_cast<chunk_type*>(spare_.take());
    if (c != nullptr)
      c->make_vacant();
    else if (force)
      c = common_.make_chunk();
    else
      return false;
    NOPAL_ASSERT(consumer_of(c->owner.load(std::memory_order_relaxed)) == nobody);
    const owner_word w = passed_to(id_, c->owner.load(std::memory_order_relaxed));
    chunk_node* n = list.make();
    n->set(c, w, 0, nullptr, 0);
    c->settle(tag_of(w));
    // Pairs with node_sight::is_valid() and salsa::choose().
    c->owner.store(w, std::memory_order_release);
    list.append(n);
    in.next = &(*c)[0];
    in.end = &(*c)[c->size];
    return true;
  }

  // --- consumers -----------------------------------------------------------------------------

  /// Takes the element of a slot that others may want, too. Returns whether the caller has got it.
  static bool take_by_cas(slot& s, typename slot::sight& seen) noexcept {
    emit<pool_events::swapping>();
    return s.take_by_cas(seen);
  }

  /// Moves an element out that the caller has taken. Whatever its move does, the element is
  /// destroyed, and after that the chunk is retired if `and_retire` is set.
  /// \param seen  the slot as it was when the element was in it.
  NOPAL_ALWAYS_INLINE void get_taken(chunk_type& c, std::uint32_t i, typename slot::sight seen,
                                     std::optional<T>& to, bool and_retire) {
    struct finish {
      chunked_share& pool;
      chunk_type& c;
      std::uint32_t i;
      bool and_retire;
      ~finish() {
        c[i].destroy_taken();
        if (and_retire) [[unlikely]]
          pool.retire(c);
      }
    };
    emit<pool_events::moving>();
    NOPAL_ASSERT(slot::is_full(seen));
    const finish at_end{*this, c, i, and_retire};
    to.emplace(c[i].element(seen));
  }

  /// Retires a chunk, once in each of its lives. From then on no node of the chunk is valid. Others
  /// may be in the middle of taking an element from another slot.
  NOPAL_NOINLINE void retire(chunk_type& c) noexcept {
    emit<pool_events::retiring>();
    owner_word w = c.owner.load(std::memory_order_relaxed);
    // Pairs with set_hazard() and salsa::pass_to_me(). This is repeated only if somebody has stolen
    // the chunk meanwhile, and nobody does that without having found an element here before.
    while (!c.owner.compare_exchange_weak(w, passed_to(nobody, w), std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
    }
    NOPAL_ASSERT(consumer_of(w) != nobody);  // once for each life
    use_again_when_left(c, w);
  }

  /// Makes a retired chunk a spare one, as soon as no other consumer uses it.
  /// \param last  the chunk's owner word before it was retired.
  void use_again_when_left(chunk_type& c, owner_word last) noexcept {
    c.settle(tag_of(last) + 1);
    retired_.add(&c);
    reclaim();
  }

  /// Makes those retired chunks spare ones that no other consumer uses any more.
  void reclaim() noexcept {
    retired_.reclaim(common_.hazards, id_, [this](chunk_header* c) { spare_.put(c); });
  }

  static slot& slot_of(chunk_header& c, std::uint32_t i) noexcept {
    return static_cast<chunk_type&>(c)[i];
  }

  /// Whether an element is or was at the index.
  static bool has_element(chunk_header& c, std::uint32_t i) noexcept {
    // Pairs with put_next().
    return i < c.size && !slot::is_vacant(slot_of(c, i).look(std::memory_order_acquire));
  }

  /// Offers the valid nodes of a list to `take`, until it has got an element. Precondition: the
  /// caller is the list's consumer, or all consumers take from the list.
  template <class F>
  static bool take_from_one_of(node_list& list, F&& take) {
    bool all_over = true;
    for (node_sight at = list.begin(); node_list::next(at) == node_list::step::node;) {
      const bool valid = at.is_valid();
      if (valid && take(at)) return true;
      all_over = all_over && !valid;
      if (all_over) list.begin_behind(at);
    }
    return false;
  }

  /// Whether no chunk of a list has an element. May say no though none has. Any consumer asks this.
  /// \param may_have_elements  is asked about a valid node.
  template <class F>
  static bool list_is_empty(node_list& list, F&& may_have_elements) noexcept {
    node_sight at = list.begin();
    node_list::step s = node_list::next(at);
    for (; s == node_list::step::node; s = node_list::next(at))
      if (at.is_valid() && may_have_elements(at)) return false;
    return s != node_list::step::disturbed;
  }

  /// Guards a chunk that the consumer is about to take from. Returns false if the node is not valid
  /// any more. Otherwise chunk and node are not used again before the hazard is set anew.
  bool set_hazard(const node_sight& at) noexcept {
    own_hazard().set(at.chunk, at.node);
    // Pairs with retire() and salsa::pass_to_me().
    return same_owner(at.chunk->owner.load(std::memory_order_seq_cst), at.word);
  }
  hazard& own_hazard() noexcept { return common_.hazards[id_]; }

  chunked_common<T>& common_;
  const unsigned id_;

 private:
  retired_chunks retired_;
  spare_chunks spare_;
};

}  // namespace nopal::detail
