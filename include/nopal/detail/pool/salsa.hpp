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
#include "nopal/detail/pool/chunked_share.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/hazard.hpp"
#include "nopal/detail/pool/node_list.hpp"

namespace nopal::detail {

/// SALSA (Gidron, Keidar, Perelman and Perez, SPAA 2012): the share of one consumer. Each producer
/// brings its elements in chunks, the consumer takes from chunks that it owns without an atomic
/// read-modify-write or a fence, and others steal whole chunks. docs/pool.md has the protocol,
/// where it departs from the paper, and the argument; tests/models/pool_steal.pml and
/// pool_empty.pml are the models.
///
/// The one thing that must never happen is that two consumers take one element. The owner marks
/// slot i as taken without a compare-and-swap only after two steps: it has stored i + 1 to the
/// index of its node, and has then found its own word in the chunk once more. A thief puts its word
/// there, then fences, and then reads the index. Either the thief reads i + 1, and leaves slot i
/// alone. Or the owner's look at the word comes after the fence, and finds the thief's. Then both
/// go through the compare-and-swap. If the owner has not begun a chunk, it has taken nothing from
/// it and will take nothing, so the thief does not fence.
///
/// get() is wait-free except at the end of a chunk and in the search for another. These, and
/// steal(), are lock-free.
template <class T>
class salsa : public chunked_share<T> {
  using base = chunked_share<T>;

 public:
  using common = chunked_common<T>;
  using typename base::producer_end;

  salsa(common& shared, unsigned consumer)
      : base(shared, consumer),
        lists_(shared.options.producers + 1),
        indicator_(shared.options.consumers) {}

  // These are the functions of an sc_pool, which says what they do and who calls them.

  template <class... A>
  NOPAL_ALWAYS_INLINE bool put_if_room(producer_end& in, A&&... args) {
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

  NOPAL_ALWAYS_INLINE bool get(std::optional<T>& to) {
    if (current_.chunk != nullptr && take(to)) [[likely]]
      return true;
    return get_elsewhere(to);
  }

  bool steal(salsa& victim, std::optional<T>& to) {
    const std::size_t lists = victim.lists_.size();
    for (std::size_t k = 0; k < lists; ++k) {
      node_list& list = victim.lists_[(id_ + k) % lists];  // thieves begin in different lists
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

  /// Takes the next element of the current chunk. Returns false if there is none, or if the
  /// consumer does not own the chunk any more.
  NOPAL_ALWAYS_INLINE bool take(std::optional<T>& to) {
    chunk_type& c = *current_.chunk;
    const std::uint32_t i = current_.node->index.load(std::memory_order_relaxed);
    slot& s = c[i];
    const typename slot::sight seen = s.look(std::memory_order_acquire);  // pairs with put_next()
    if (slot::is_vacant(seen)) return false;
    // This load is behind that of the mark. A thief that has not seen the element, because it was
    // put after the steal, will take it as the owner. So the index must not be touched unless this
    // consumer was the owner when there was an element.
    if (c.owner.load(std::memory_order_relaxed) != current_.word) {
      leave();
      return false;
    }
    // The next slot is looked at before the index is stored (docs/pool.md).
    const bool last = slot::is_vacant((&s)[1].look(std::memory_order_relaxed));
    emit<pool_events::looked>();
    current_.node->index.store(i + 1, release_at_fence);  // pairs with index_of()
    emit<pool_events::taking>();
    light_fence();  // pairs with the fence in wait_or_fence()
    if (c.owner.load(relaxed_at_fence) != current_.word) [[unlikely]]
      return take_late(c, i, to);
    emit<pool_events::marking>();
    // The mark is visible no sooner than what this thread has put before, and than its last clear.
    // This pairs with may_have_elements(), which would otherwise pass over a taken element and miss
    // the one that has come in its place.
    s.take_alone(release_at_fence);
    if (last) [[unlikely]]
      indicator_.clear();
    if (last && i + 1 == c.size) [[unlikely]] {
      drop();
      get_perhaps_last(c, i, seen, to);
    } else {
      base::get_taken(c, i, seen, to, false);
    }
    return true;
  }

  /// The owner has stored the index, and found that the chunk was stolen. If the thief saw that
  /// index, nobody else takes the element. If it did not, it wants the same element.
  NOPAL_NOINLINE bool take_late(chunk_type& c, std::uint32_t i, std::optional<T>& to) {
    leave();
    typename slot::sight seen{};
    const bool won = take_by_cas(c[i], seen);
    indicator_.clear();
    if (won) get_perhaps_last(c, i, seen, to);
    return won;
  }

  /// Does what get() does, with another chunk of this consumer than the current one.
  NOPAL_NOINLINE bool get_elsewhere(std::optional<T>& to) {
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      if (get_from(lists_[begin_at_], to)) return true;
      begin_at_ = (begin_at_ + 1) % lists_.size();  // fair to the producers
    }
    return false;
  }

  /// Takes an element from the chunks of one list, and makes the first that has one the current
  /// chunk.
  bool get_from(node_list& list, std::optional<T>& to) {
    return base::take_from_one_of(list, [&](const node_sight& at) {
      return has_element(*at.chunk, at.node->index.load(std::memory_order_relaxed)) &&
             make_current(at) && take(to);
    });
  }

  /// Makes a chunk of this consumer the one that take() takes from. Returns false if the chunk was
  /// stolen. If it was not when the hazard was set, chunk and node are not used again before the
  /// hazard is set anew.
  bool make_current(const node_sight& at) noexcept {
    drop();
    const bool is_mine = base::set_hazard(at) && begin_to_take(at);
    if (is_mine)
      set_current(at);
    else
      leave();
    return is_mine;
  }

  /// Marks the chunk as begun, once for each chunk, and returns whether the consumer owns it. From
  /// then on a thief must fence. If a thief steals the chunk before, the consumer takes nothing
  /// from it.
  static bool begin_to_take(const node_sight& at) noexcept {
    owner_word seen = at.chunk->owner.load(std::memory_order_relaxed);
    if (seen != at.word) return seen == as_begun(at.word);
    emit<pool_events::swapping>();
    // No order is needed: both this compare-and-swap and a thief's expect the word that is not
    // begun, so one of the two fails.
    return at.chunk->owner.compare_exchange_strong(seen, as_begun(seen), std::memory_order_relaxed,
                                                   std::memory_order_relaxed);
  }

  // --- thief ---------------------------------------------------------------------------------

  /// A chunk as it was when the thief chose it.
  struct choice {
    node_sight at;            ///< The victim's node.
    owner_word owner = 0;     ///< The chunk's owner, begun or not.
    std::uint32_t index = 0;  ///< A slot with an element.
    bool is_settled = false;  ///< The index is the node's own.
  };

  /// Chooses a chunk with an element. If the owner has not begun one of the first two such chunks
  /// of the list, that one is chosen. Otherwise it is the second, if there are two, since the owner
  /// is taking from the first.
  static bool choose(node_list& list, choice& chosen) {
    unsigned found = 0;
    for (node_sight at = list.begin();
         found != 2 && node_list::next(at) == node_list::step::node;) {
      // Pairs with open_chunk(), pass_to_me().
      const owner_word owner = at.chunk->owner.load(std::memory_order_acquire);
      if (!same_owner(owner, at.word)) continue;
      // Pairs with settle().
      const bool is_settled = at.node->index.load(acquire_at_fence) != chunk_node::unresolved;
      const std::uint32_t i = index_of(at);
      if (!has_element(*at.chunk, i)) continue;
      chosen = {at, owner, i, is_settled};
      if (!is_begun(owner)) return true;
      ++found;
    }
    return found != 0;
  }

  /// Makes the thief the owner of a chunk of the victim's, seen through the victim's node. The
  /// thief's node is in its list before that, without an index of its own. So there is no moment at
  /// which nobody could find the chunk, or would believe an old index.
  bool pass_to_me(salsa& victim, const choice& chosen, node_sight& mine) {
    const node_sight& at = chosen.at;
    chunk_header& c = *at.chunk;
    node_list& list = lists_.back();
    drop();
    // Only the thief uses these nodes, and now none.
    list.sweep([](const chunk_node*) { return false; });
    list.reserve();
    mine = {list.make(), 0, passed_to(id_, at.word), &c};
    mine.node->set(&c, mine.word, chunk_node::unresolved, at.node, at.serial);
    mine.serial = list.append(mine.node);
    // The hazard is set before the thief is the owner, so that whoever steals from the thief in
    // turn does not believe that it takes nothing.
    own_hazard().set(&c, mine.node);
    emit<pool_events::stealing>();
    owner_word expected = chosen.owner;
    // Pairs with the other thieves and with the owner's second look in take(). It also pairs with
    // retire(), as the look in set_hazard() does.
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

  /// Ensures that from here on the victim takes elements through its node only by compare-and-swap,
  /// and that the thief sees what it has taken. This is so if the victim has left the node: if it
  /// comes back, it finds the thief. That is enough if the node has an index of its own, since its
  /// consumer was then ordered with those before. Pairs with light_fence() in take(), and with
  /// set_hazard(). An owner that had not begun takes nothing through its node.
  void order_with(const salsa& victim, const choice& stolen) noexcept {
    if (!is_begun(stolen.owner)) return;
    const hazard& its = common_.hazards[victim.id_];
    if (!stolen.is_settled || its.node() == stolen.at.node)
      wait_or_fence(its, stolen.is_settled ? stolen.at.node : nullptr, unasked_);
  }

  /// Gives the thief's node of a chunk that it has just stolen its index, and takes the element
  /// there, if there is one.
  bool take_first(const node_sight& mine, const choice& stolen, std::optional<T>& to) {
    auto& c = static_cast<chunk_type&>(*mine.chunk);
    // The victim's node may have got an index of its own since.
    const std::uint32_t i = index_of(stolen.at);
    // If there is none any more, a consumer that stole from this one has an index.
    if (i == no_index) return false;
    const bool some = has_element(c, i);
    // The victim went on before the steal. If another thief has stolen the chunk since, the element
    // may be so new that the other has not seen it, and will take it as the owner. The other looks
    // for the index where this one does.
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
    if (won) get_perhaps_last(c, i, seen, to);
    return won;
  }

  /// Gives the thief's node the index of its own, and makes the chunk the thief's current one, if
  /// it has slots left.
  void settle(chunk_type& c, const node_sight& mine, std::uint32_t index) noexcept {
    NOPAL_ASSERT(index <= c.size);
    NOPAL_ASSERT(mine.node->index.load(std::memory_order_relaxed) == chunk_node::unresolved);
    mine.node->index.store(index, release_at_fence);  // pairs with index_of()
    c.settle(tag_of(mine.word));
    if (index < c.size) set_current(mine);
  }

  /// Whether a chunk may have an element, for is_empty(). Any consumer asks this. It looks at more
  /// slots than the one at the index. If that is marked, the index is old, and there may be
  /// elements behind it.
  static bool may_have_elements(const node_sight& at) noexcept {
    const std::uint32_t first = index_of(at);
    if (first == no_index) return true;  // this is not known
    for (std::uint32_t i = first; i < at.chunk->size; ++i) {
      // Pairs with put_next().
      const typename slot::sight seen = slot_of(*at.chunk, i).look(std::memory_order_acquire);
      if (slot::is_full(seen)) return true;
      if (slot::is_vacant(seen)) return false;
    }
    return false;
  }

  /// Moves an element out that was taken, and retires the chunk if it was that of the last slot.
  NOPAL_NOINLINE void get_perhaps_last(chunk_type& c, std::uint32_t i, typename slot::sight seen,
                                       std::optional<T>& to) {
    base::get_taken(c, i, seen, to, i + 1 == c.size);
  }

  /// Goes on without a current chunk. take() is not called before there is another.
  void drop() noexcept { current_.chunk = nullptr; }
  /// Gives up a chunk that is stolen, and answers the thief.
  void leave() noexcept {
    drop();
    emit<pool_events::answering>();
    own_hazard().leave_node();
  }
  void set_current(const node_sight& at) noexcept {
    current_ = {static_cast<chunk_type*>(at.chunk), at.node, as_begun(at.word)};
  }

  /// The chunk that the consumer takes from; the hazard guards it.
  struct taking_from {
    detail::chunk<T>* chunk = nullptr;
    chunk_node* node = nullptr;  ///< Its index is written by nobody else.
    owner_word word = 0;         ///< The chunk's, begun.
  };

  // These lines are the consumer's. What others write has lines of its own.
  taking_from current_;
  std::size_t begin_at_ = 0;
  unsigned unasked_ = 0;  ///< wait_or_fence() counts with it.
  /// One list for each producer, and one for what the consumer has stolen. The vector is on a line
  /// of its own: others read it, and the consumer writes to the lines above with every element.
  alignas(cache_line) mutable std::vector<node_list> lists_;
  empty_indicator indicator_;
};

}  // namespace nopal::detail
