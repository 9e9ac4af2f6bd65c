// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"
#include "nopal/detail/pool/chunked_pool.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/hazard.hpp"
#include "nopal/detail/pool/node_list.hpp"

namespace nopal::detail {

/// SALSA (Gidron, Keidar, Perelman and Perez, SPAA 2012): the pool of one consumer. Each producer
/// brings its elements in chunks, the consumer takes from chunks that it owns without an atomic
/// read-modify-write or a fence, and others steal whole chunks. docs/pool.md has the protocol,
/// where it departs from the paper, and the argument; tests/models/pool_steal.pml and
/// pool_empty.pml are the models.
///
/// The one thing that must never happen is that two consumers take one element. The owner marks
/// slot i as taken without a compare-and-swap only after it stored i + 1 to the index of its node
/// and then found itself to be the owner yet. A thief becomes the owner, then fences, and then
/// reads the index: either it reads i + 1 and leaves slot i alone, or the owner's second look at
/// the owner comes after the fence, and finds the thief; then both go through the compare-and-swap.
/// From a chunk that its owner has not begun nothing has been taken and nothing will be, and its
/// thief does not fence.
///
/// consume() is wait-free but for the end of a chunk, and the search for another; these and steal()
/// are lock-free.
template <class T>
class salsa : public chunked_pool<T> {
  using base = chunked_pool<T>;

 public:
  using common = chunked_common<T>;
  using typename base::producer_end;

  salsa(common& shared, unsigned consumer)
      : base(shared, consumer),
        lists_(shared.options.producers + 1),
        indicator_(shared.options.consumers) {}

  template <class... A>
  NOPAL_ALWAYS_INLINE bool produce(producer_end& in, A&&... args) {
    if (in.is_full() && !base::open_chunk(lists_[in.id], in, false)) [[unlikely]]
      return false;
    base::insert(in, std::forward<A>(args)...);
    return true;
  }
  template <class... A>
  void produce_force(producer_end& in, A&&... args) {
    if (in.is_full()) base::open_chunk(lists_[in.id], in, true);
    base::insert(in, std::forward<A>(args)...);
  }

  NOPAL_ALWAYS_INLINE bool consume(std::optional<T>& to) {
    if (current_.chunk != nullptr && take(to)) [[likely]]
      return true;
    return consume_elsewhere(to);
  }

  bool steal(salsa& victim, std::optional<T>& to) {
    const std::size_t lists = victim.lists_.size();
    for (std::size_t k = 0; k < lists; ++k) {
      node_list& list = victim.lists_[(id_ + k) % lists];  // not all thieves in one list
      choice chosen;
      node_sight mine;
      if (choose(list, chosen) && pass_to_me(victim, chosen, mine)) {
        order_with(victim, chosen);
        return take_first(mine, chosen, to);
      }
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
    drop();
    own_hazard().set(nullptr, nullptr);
    reclaim();
  }

 private:
  using base::common_;
  using base::has_element;
  using base::id_;
  using base::own_hazard;
  using base::reclaim;
  using base::slot_of;
  using base::take_by_cas;
  using typename base::chunk_type;
  using typename base::slot;

  // --- the owner of chunks -------------------------------------------------------------------

  /// The next element of the current chunk. False: there is none, or the chunk is no longer mine.
  NOPAL_ALWAYS_INLINE bool take(std::optional<T>& to) {
    chunk_type& c = *current_.chunk;
    const std::uint32_t i = current_.node->index.load(std::memory_order_relaxed);
    slot& s = c[i];
    const typename slot::sight seen = s.look(std::memory_order_acquire);  // pairs with insert()
    if (slot::is_vacant(seen)) return false;
    // Behind the load of the mark: a thief that has not seen the element, because it was put after
    // the steal, will take it as the owner. So I must not touch the index unless I was the owner
    // when there was an element.
    if (c.owner.load(std::memory_order_relaxed) != current_.word) {
      leave();
      return false;
    }
    // As seen before the index is stored (docs/pool.md).
    const bool last = slot::is_vacant((&s)[1].look(std::memory_order_relaxed));
    emit<pool_events::looked>();
    current_.node->index.store(i + 1, release_at_fence);  // pairs with index_of()
    emit<pool_events::taking>();
    light_fence();  // pairs with heavy_fence() in take_first()
    if (c.owner.load(relaxed_at_fence) != current_.word) [[unlikely]]
      return take_late(c, i, to);
    emit<pool_events::marking>();
    // Visible no sooner than what this thread has put before, and than the last clear: pairs with
    // may_have_elements(), which would pass over a taken element and miss the one that has come in
    // its place.
    s.take_alone(release_at_fence);
    if (last) [[unlikely]]
      indicator_.clear();
    if (last && i + 1 == c.size) [[unlikely]] {
      drop();
      take_out(c, i, seen, to);
    } else {
      base::move_out(c, i, seen, to, false);
    }
    return true;
  }

  /// The chunk was stolen when the index had been stored. The thief either saw that, and then the
  /// element is for me alone, or it did not, and then it wants the same one.
  NOPAL_NOINLINE bool take_late(chunk_type& c, std::uint32_t i, std::optional<T>& to) {
    leave();
    typename slot::sight seen{};
    const bool won = take_by_cas(c[i], seen);
    indicator_.clear();
    if (won) take_out(c, i, seen, to);
    return won;
  }

  NOPAL_NOINLINE bool consume_elsewhere(std::optional<T>& to) {
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      if (consume_from(lists_[begin_at_], to)) return true;
      begin_at_ = (begin_at_ + 1) % lists_.size();  // fair to the producers
    }
    return false;
  }

  bool consume_from(node_list& list, std::optional<T>& to) {
    return base::take_from_one_of(list, [&](const node_sight& at) {
      return has_element(*at.chunk, at.node->index.load(std::memory_order_relaxed)) &&
             make_current(at) && take(to);
    });
  }

  /// False: it was stolen. Where it was not when the hazard was set, chunk and node are not used
  /// again before it is set anew.
  bool make_current(const node_sight& at) noexcept {
    drop();
    const bool is_mine = base::set_hazard(at) && begin_to_take(at);
    if (is_mine)
      set_current(at);
    else
      leave();
    return is_mine;
  }

  /// Does something once for each chunk. From then on a thief must fence; one that steals before
  /// keeps me from taking anything.
  static bool begin_to_take(const node_sight& at) noexcept {
    owner_word seen = at.chunk->owner.load(std::memory_order_relaxed);
    if (seen != at.word) return seen == as_begun(at.word);
    emit<pool_events::swapping>();
    // No order: both this and that of a thief expect the word that is not begun, so one of the two
    // fails.
    return at.chunk->owner.compare_exchange_strong(seen, as_begun(seen), std::memory_order_relaxed,
                                                   std::memory_order_relaxed);
  }

  // --- thief ---------------------------------------------------------------------------------

  /// A chunk as it was when I chose it.
  struct choice {
    node_sight at;            ///< The victim's node.
    owner_word owner = 0;     ///< Its word, begun or not.
    std::uint32_t index = 0;  ///< Where there is an element.
    bool is_settled = false;  ///< The index is the node's own.
  };

  /// A chunk with an element: one of the first two of the list that its owner has not begun, if
  /// there is such a one, else the second, if there are two, since from the first its owner is
  /// taking.
  static bool choose(node_list& list, choice& chosen) {
    unsigned found = 0;
    for (node_sight at = list.begin();
         found != 2 && node_list::next(at) == node_list::step::node;) {
      const owner_word owner =
          at.chunk->owner.load(std::memory_order_acquire);  // pairs with open_chunk(), pass_to_me()
      if (!same_owner(owner, at.word)) continue;
      const bool is_settled =
          at.node->index.load(acquire_at_fence) != chunk_node::unresolved;  // pairs with settle()
      const std::uint32_t i = index_of(at);
      if (!has_element(*at.chunk, i)) continue;
      chosen = {at, owner, i, is_settled};
      if (!is_begun(owner)) return true;
      ++found;
    }
    return found != 0;
  }

  /// Makes me the owner of a chunk of the victim's, seen through its node. My node stands in my
  /// list before I am, without an index of its own, so that there is no moment at which nobody
  /// could find the chunk, or would believe an old index.
  bool pass_to_me(salsa& victim, const choice& chosen, node_sight& mine) {
    const node_sight& at = chosen.at;
    chunk_header& c = *at.chunk;
    node_list& list = lists_.back();
    drop();
    list.sweep(
        [](const chunk_node*) { return false; });  // whose nodes only I use, and just now none
    list.reserve();
    mine = {list.make(), 0, passed_to(id_, at.word), &c};
    mine.node->set(&c, mine.word, chunk_node::unresolved, at.node, at.serial);
    mine.serial = list.append(mine.node);
    // Before I am the owner: who steals from me must not believe that I take nothing.
    own_hazard().set(&c, mine.node);
    emit<pool_events::stealing>();
    owner_word expected = chosen.owner;
    // Pairs with the other thieves, with the owner's second look in take(), and as in
    // make_current() with retire().
    if (!c.owner.compare_exchange_strong(expected, as_begun(mine.word), std::memory_order_seq_cst,
                                         std::memory_order_relaxed)) {
      list.remove_newest(mine.node);
      own_hazard().leave_node();
      return false;
    }
    emit<pool_events::stolen>();
    victim.indicator_.clear();
    return true;
  }

  /// From here on the victim takes no element through its node but by compare-and-swap, and what it
  /// has taken is seen. So it is where it has left the node: if it comes back, it finds the thief.
  /// That is all if the node has an index of its own, for then its consumer was ordered with those
  /// before. Pairs with light_fence() in take(), and with set_hazard(); an owner that had not begun
  /// never comes there.
  void order_with(const salsa& victim, const choice& stolen) noexcept {
    if (!is_begun(stolen.owner)) return;
    const hazard& its = common_.hazards[victim.id_];
    if (!stolen.is_settled || its.node() == stolen.at.node)
      wait_or_fence(its, stolen.is_settled ? stolen.at.node : nullptr, unasked_);
  }

  /// Gives my node of a chunk that has just become mine its index, and takes the element there, if
  /// there is one.
  bool take_first(const node_sight& mine, const choice& stolen, std::optional<T>& to) {
    auto& c = static_cast<chunk_type&>(*mine.chunk);
    const std::uint32_t i = index_of(stolen.at);  // it may have got one of its own since
    if (i == no_index) return false;              // and another, who stole from me, has one as well
    const bool some = has_element(c, i);
    // The owner went on before I stole. If now another has stolen from me, the element may be so
    // new that he has not seen it, and takes it as the owner. He looks for the index where I do.
    if (some && i != stolen.index && c.owner.load(std::memory_order_relaxed) != as_begun(mine.word))
      return false;
    settle(c, mine, some ? i + 1 : i);
    typename slot::sight seen{};
    bool won = false;
    if (some) {
      emit<pool_events::settled>();
      won = take_by_cas(c[i], seen);
    }
    indicator_.clear();
    if (won) take_out(c, i, seen, to);
    return won;
  }

  void settle(chunk_type& c, const node_sight& mine, std::uint32_t index) noexcept {
    NOPAL_ASSERT(index <= c.size);
    NOPAL_ASSERT(mine.node->index.load(std::memory_order_relaxed) == chunk_node::unresolved);
    mine.node->index.store(index, release_at_fence);  // pairs with index_of()
    c.settle(tag_of(mine.word));
    if (index < c.size) set_current(mine);
  }

  /// Not only the slot at the index: where it is marked the index is old, and elements may stand
  /// behind.
  static bool may_have_elements(const node_sight& at) noexcept {
    const std::uint32_t first = index_of(at);
    if (first == no_index) return true;  // who knows
    for (std::uint32_t i = first; i < at.chunk->size; ++i) {
      const typename slot::sight seen =
          slot_of(*at.chunk, i).look(std::memory_order_acquire);  // pairs with insert()
      if (slot::is_full(seen)) return true;
      if (slot::is_vacant(seen)) return false;
    }
    return false;
  }

  /// Who took the element of the last slot retires the chunk.
  NOPAL_NOINLINE void take_out(chunk_type& c, std::uint32_t i, typename slot::sight seen,
                               std::optional<T>& to) {
    base::move_out(c, i, seen, to, i + 1 == c.size);
  }

  void drop() noexcept { current_.chunk = nullptr; }
  /// The chunk is stolen: answers the thief.
  void leave() noexcept {
    drop();
    emit<pool_events::answering>();
    own_hazard().leave_node();
  }
  void set_current(const node_sight& at) noexcept {
    current_ = {static_cast<chunk_type*>(at.chunk), at.node, as_begun(at.word)};
  }

  /// What the consumer takes from; the hazard guards it.
  struct taking_from {
    detail::chunk<T>* chunk = nullptr;
    chunk_node* node = nullptr;  ///< Its index is written by nobody else.
    owner_word word = 0;         ///< The chunk's while I take.
  };

  // The consumer's lines. What others write has lines of its own.
  taking_from current_;
  std::size_t begin_at_ = 0;
  unsigned unasked_ = 0;  ///< For wait_or_fence().
  /// One for each producer, and one for what the consumer has stolen. On a line of its own: others
  /// read it, and the consumer writes to its own with every element.
  alignas(cache_line) mutable std::vector<node_list> lists_;
  empty_indicator indicator_;
};

}  // namespace nopal::detail
