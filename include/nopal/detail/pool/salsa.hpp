// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "nopal/detail/config.hpp"
#include "nopal/detail/fence.hpp"
#include "nopal/detail/full_fence.hpp"
#include "nopal/detail/hook.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"
#include "nopal/detail/pool/chunk_pool.hpp"
#include "nopal/detail/pool/chunk_table.hpp"
#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/hazard.hpp"
#include "nopal/detail/pool/node_list.hpp"
#include "nopal/detail/pool/owner_word.hpp"
#include "nopal/detail/pool/sc_pool.hpp"

namespace nopal::detail {

/// What the pools of a family share.
template <class T>
class salsa_common {
 public:
  explicit salsa_common(const sc_pool_options& o) : options(o), hazards(o.consumers) {}
  ~salsa_common() {
    chunks.for_each([](chunk_header* c) { chunk<T>::destroy(static_cast<chunk<T>*>(c)); });
  }
  salsa_common(const salsa_common&) = delete;
  salsa_common& operator=(const salsa_common&) = delete;

  /// \throws std::bad_alloc
  chunk<T>* make_chunk() {
    auto destroy = [](chunk<T>* c) { chunk<T>::destroy(c); };
    std::unique_ptr<chunk<T>, decltype(destroy)> made(chunk<T>::make(options.chunk), destroy);
    chunks.add(made.get());
    return made.release();
  }

  const sc_pool_options options;
  chunk_table chunks;
  std::vector<hazard> hazards;  ///< By consumer.
};

/// SALSA (Gidron, Keidar, Perelman and Perez, SPAA 2012): the pool of one consumer. Each producer brings its tasks in chunks,
/// the consumer takes from chunks that it owns without an atomic read-modify-write or a fence, and others steal whole chunks.
/// docs/pool.md has the protocol, where it departs from the paper, and the argument; tests/models/pool_steal.pml and
/// pool_empty.pml are the models.
///
/// The one thing that must never happen is that two consumers take one task. The owner marks slot i as taken without a
/// compare-and-swap only after it stored i + 1 to the index of its node and then found itself to be the owner yet. A thief
/// becomes the owner, then fences, and then reads the index: either it reads i + 1 and leaves slot i alone, or the owner's
/// second look at the owner comes after the fence, and finds the thief; then both go through the compare-and-swap.
///
/// consume() is wait-free but for the end of a chunk, and the search for another; these and steal() are lock-free.
template <class T>
class salsa {
 public:
  using value_type = T;
  using common = salsa_common<T>;

  /// The chunk that a producer is filling; whose it is makes no difference, and it does not care.
  struct producer_end {
    explicit producer_end(unsigned number) noexcept : id(number) {}
    unsigned id;
    std::uint32_t at = 0;
    detail::chunk<T>* chunk = nullptr;
  };

  salsa(common& shared, unsigned consumer)
      : common_(shared),
        id_(consumer),
        lists_(shared.options.producers + 1),
        spare_(shared.chunks),
        indicator_(shared.options.consumers) {}

  template <class... A>
  NOPAL_ALWAYS_INLINE bool produce(producer_end& in, A&&... args) {
    if (in.chunk == nullptr && !open_chunk(in, false)) [[unlikely]] return false;
    insert(in, std::forward<A>(args)...);
    return true;
  }

  template <class... A>
  void produce_force(producer_end& in, A&&... args) {
    if (in.chunk == nullptr) open_chunk(in, true);
    insert(in, std::forward<A>(args)...);
  }

  NOPAL_ALWAYS_INLINE bool consume(std::optional<T>& to) {
    if (current_.chunk != nullptr && take(to)) [[likely]] return true;
    return consume_elsewhere(to);
  }

  bool steal(salsa& victim, std::optional<T>& to) {
    const std::size_t lists = victim.lists_.size();
    for (std::size_t k = 0; k < lists; ++k) {
      node_list& list = victim.lists_[(id_ + k) % lists];  // not all thieves in one list
      for (node_sight at = list.begin(); node_list::next(at) == node_list::step::node;) {
        if (!at.is_valid()) continue;
        const std::uint32_t i = index_of(at);
        node_sight mine;
        if (has_task(*at.chunk, i) && pass_to_me(victim, at, mine)) return take_first(mine, at, i, to);
      }
    }
    return false;
  }

  [[nodiscard]] bool is_empty() const noexcept {
    for (node_list& list : lists_) {
      node_sight at = list.begin();
      node_list::step s = node_list::next(at);
      for (; s == node_list::step::node; s = node_list::next(at))
        if (at.is_valid() && may_have_tasks(at)) return false;
      if (s == node_list::step::disturbed) return false;
    }
    return true;
  }

  void set_indicator(unsigned consumer) noexcept { indicator_.set(consumer); }
  [[nodiscard]] bool check_indicator(unsigned consumer) const noexcept { return indicator_.is_set(consumer); }

  void let_go() noexcept {
    drop();
    hazard_of(id_).set(nullptr, nullptr);
    reclaim();
  }

 private:
  using chunk_type = chunk<T>;
  using slot = typename chunk<T>::slot;

  // --- producer ---------------------------------------------------------------------------------------------------------

  template <class... A>
  NOPAL_ALWAYS_INLINE void insert(producer_end& in, A&&... args) {
    slot& s = (*in.chunk)[in.at];
    ::new (static_cast<void*>(s.storage)) T(std::forward<A>(args)...);
    // Pairs with the acquire loads of the mark in take(), take_first(), has_task() and may_have_tasks().
    s.mark.store(chunk_type::full, release_at_fence);
    if (++in.at == in.chunk->size) in.chunk = nullptr;
  }

  /// Puts a chunk into this pool for the producer to fill. False: that would take an allocation, and `force` is not set. An
  /// exception leaves nothing behind but a chunk or node that the next one uses.
  NOPAL_NOINLINE bool open_chunk(producer_end& in, bool force) {
    node_list& list = lists_[in.id];
    list.sweep([this] { return hazard_of(id_).node(); });
    list.reserve();
    auto* c = static_cast<chunk_type*>(spare_.take());
    if (c != nullptr)
      c->make_vacant();
    else if (force)
      c = common_.make_chunk();
    else
      return false;
    const owner_word w = passed_to(id_, c->owner.load(std::memory_order_relaxed));
    chunk_node* n = list.make();
    n->set(c, w, 0, nullptr, 0);
    c->settle(tag_of(w));
    c->owner.store(w, std::memory_order_release);  // pairs with node_sight::is_valid()
    list.append(n);
    in.chunk = c;
    in.at = 0;
    return true;
  }

  // --- the owner of chunks ------------------------------------------------------------------------------------------------

  /// The next task of the current chunk. False: there is none, or the chunk is no longer mine.
  NOPAL_ALWAYS_INLINE bool take(std::optional<T>& to) {
    chunk_type& c = *current_.chunk;
    const std::uint32_t i = current_.index;
    slot& s = c[i];
    if (s.mark.load(std::memory_order_acquire) == chunk_type::vacant) return false;  // pairs with insert()
    // Behind the load of the mark: a thief that has not seen the task, because it was put after the steal, will take it as
    // the owner. So I must not touch the index unless I was the owner when there was a task.
    if (c.owner.load(std::memory_order_relaxed) != current_.word) {
      drop();
      return false;
    }
    const bool last = is_last(c, i);  // as seen before the index is stored (docs/pool.md)
    hook(step::pool_looked);
    current_.node->index.store(i + 1, release_at_fence);  // pairs with index_of()
    current_.index = i + 1;
    hook(step::pool_taking);
    light_fence();  // pairs with heavy_fence() in take_first()
    if (c.owner.load(relaxed_at_fence) != current_.word) [[unlikely]] return take_late(c, i, to);
    hook(step::pool_marking);
    // Visible no sooner than what this thread has put before, and than the last clear: pairs with may_have_tasks(), which would
    // pass over a taken task and miss the one that has come in its place.
    s.mark.store(chunk_type::taken, release_at_fence);
    if (last) indicator_.clear();
    if (i + 1 == c.size) drop();
    move_out(c, i, to);
    return true;
  }

  /// The chunk was stolen when the index had been stored. The thief either saw that, and then the task is for me alone, or
  /// it did not, and then it wants the same one.
  NOPAL_NOINLINE bool take_late(chunk_type& c, std::uint32_t i, std::optional<T>& to) {
    drop();
    const bool won = mark_by_cas(c[i]);
    indicator_.clear();
    if (won) move_out(c, i, to);
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
    bool all_over = true;
    for (node_sight at = list.begin(); node_list::next(at) == node_list::step::node;) {
      const bool valid = at.is_valid();
      if (valid && has_task(*at.chunk, at.node->index.load(std::memory_order_relaxed)) && make_current(at) && take(to)) return true;
      all_over = all_over && !valid;
      if (all_over) list.begin_behind(at);
    }
    return false;
  }

  /// False: it was stolen. Where it was not when the hazard was set, chunk and node are not used again before it is set anew.
  bool make_current(const node_sight& at) noexcept {
    drop();
    hazard_of(id_).set(at.chunk, at.node);
    if (at.chunk->owner.load(std::memory_order_seq_cst) != at.word) return false;  // pairs with retire() and pass_to_me()
    set_current(at, at.node->index.load(std::memory_order_relaxed));
    return true;
  }

  // --- thief ------------------------------------------------------------------------------------------------------------

  /// Makes me the owner of a chunk of the victim's, seen through its node. My node stands in my list before I am, without an
  /// index of its own, so that there is no moment at which nobody could find the chunk, or would believe an old index.
  bool pass_to_me(salsa& victim, const node_sight& at, node_sight& mine) {
    chunk_header& c = *at.chunk;
    node_list& list = lists_.back();
    drop();
    hazard_of(id_).set(&c, nullptr);
    list.sweep([] { return nullptr; });  // whose nodes only I use, and just now none
    list.reserve();
    mine = {list.make(), 0, passed_to(id_, at.word), &c};
    mine.node->set(&c, mine.word, chunk_node::unresolved, at.node, at.serial);
    mine.serial = list.append(mine.node);
    hook(step::pool_stealing);
    owner_word expected = at.word;
    // Pairs with the other thieves, with the owner's second look in take(), and as in make_current() with retire().
    if (!c.owner.compare_exchange_strong(expected, mine.word, std::memory_order_seq_cst, std::memory_order_relaxed)) {
      list.remove_newest(mine.node);
      return false;
    }
    hook(step::pool_stolen);
    victim.indicator_.clear();
    return true;
  }

  /// Gives my node of a chunk that has just become mine its index, and takes the task there, if there is one.
  /// \param stolen_from  the victim's node
  /// \param before       its index when I looked for a task.
  bool take_first(const node_sight& mine, const node_sight& stolen_from, std::uint32_t before, std::optional<T>& to) {
    auto& c = static_cast<chunk_type&>(*mine.chunk);
    heavy_fence();  // pairs with light_fence() in take()
    const std::uint32_t i = index_of(stolen_from);  // it may have got one of its own since
    if (i == no_index) return false;                // and another, who stole from me, has one as well
    const bool some = has_task(c, i);
    // The owner went on before I stole. If now another has stolen from me, the task may be so new that he has not seen it,
    // and takes it as the owner. He looks for the index where I do.
    if (some && i != before && c.owner.load(std::memory_order_relaxed) != mine.word) return false;
    const bool won = some && settle_and_mark(c, mine, i);
    if (!some) settle(c, mine, i);
    indicator_.clear();
    if (won) move_out(c, i, to);
    return won;
  }

  bool settle_and_mark(chunk_type& c, const node_sight& mine, std::uint32_t i) noexcept {
    settle(c, mine, i + 1);
    hook(step::pool_settled);
    return mark_by_cas(c[i]);
  }

  void settle(chunk_type& c, const node_sight& mine, std::uint32_t index) noexcept {
    mine.node->index.store(index, release_at_fence);  // pairs with index_of()
    c.settle(tag_of(mine.word));
    if (index < c.size) set_current(mine, index);
  }

  // --- both -------------------------------------------------------------------------------------------------------------

  static bool mark_by_cas(slot& s) noexcept {
    std::uint32_t expected = chunk_type::full;
    return s.mark.compare_exchange_strong(expected, chunk_type::taken, std::memory_order_acq_rel,  // pairs with insert()
                                          std::memory_order_relaxed);
  }

  /// The task is mine. Whatever its move does, it is destroyed, and the chunk goes the way of empty chunks if it was the
  /// last.
  NOPAL_ALWAYS_INLINE void move_out(chunk_type& c, std::uint32_t i, std::optional<T>& to) {
    struct finish {
      salsa& pool;
      chunk_type& c;
      std::uint32_t i;
      ~finish() {
        std::destroy_at(&c[i].value());
        if (i + 1 == c.size) [[unlikely]] pool.retire(c);
      }
    };
    hook(step::pool_moving);
    const finish at_end{*this, c, i};
    to.emplace(std::move(c[i].value()));
  }

  /// Only who took the task of the last slot comes here, so it happens once. From then on no node of the chunk is valid.
  /// Others may be in the middle of taking a task from another slot.
  NOPAL_NOINLINE void retire(chunk_type& c) noexcept {
    hook(step::pool_retiring);
    owner_word w = c.owner.load(std::memory_order_relaxed);
    // Pairs with make_current() and pass_to_me(). Repeated only where somebody has stolen it meanwhile, which nobody does
    // who has not found a task here before.
    while (!c.owner.compare_exchange_weak(w, passed_to(nobody, w), std::memory_order_seq_cst, std::memory_order_relaxed)) {
    }
    c.settle(tag_of(w) + 1);
    retired_.add(&c);
    reclaim();
  }

  void reclaim() noexcept {
    retired_.reclaim(common_.hazards, id_, [this](chunk_header* c) { spare_.put(c); });
  }

  static slot& slot_of(chunk_header& c, std::uint32_t i) noexcept { return static_cast<chunk_type&>(c)[i]; }

  /// Whether a task is or was at the index.
  static bool has_task(chunk_header& c, std::uint32_t i) noexcept {
    return i < c.size && slot_of(c, i).mark.load(std::memory_order_acquire) != chunk_type::vacant;  // pairs with insert()
  }

  static bool is_last(chunk_type& c, std::uint32_t i) noexcept {
    return i + 1 == c.size || c[i + 1].mark.load(std::memory_order_relaxed) == chunk_type::vacant;
  }

  /// Not only the slot at the index: where it is marked the index is old, and tasks may stand behind.
  static bool may_have_tasks(const node_sight& at) noexcept {
    const std::uint32_t first = index_of(at);
    if (first == no_index) return true;  // who knows
    for (std::uint32_t i = first; i < at.chunk->size; ++i) {
      const std::uint32_t mark = slot_of(*at.chunk, i).mark.load(std::memory_order_acquire);  // pairs with insert()
      if (mark != chunk_type::taken) return mark == chunk_type::full;
    }
    return false;
  }

  hazard& hazard_of(unsigned consumer) noexcept { return common_.hazards[consumer]; }

  void drop() noexcept { current_.chunk = nullptr; }
  void set_current(const node_sight& at, std::uint32_t index) noexcept {
    current_ = {static_cast<chunk_type*>(at.chunk), at.node, at.word, index};
  }

  /// What the consumer takes from; the hazard guards it.
  struct taking_from {
    detail::chunk<T>* chunk = nullptr;
    chunk_node* node = nullptr;
    owner_word word = 0;
    std::uint32_t index = 0;  ///< As in the node, which only the consumer writes.
  };

  // The consumer's lines. What others write, or read often, has lines of its own.
  taking_from current_;
  common& common_;
  const unsigned id_;
  std::size_t begin_at_ = 0;
  retired_chunks retired_;
  mutable std::vector<node_list> lists_;  ///< One for each producer, and one for what the consumer has stolen.
  chunk_pool spare_;
  empty_indicator indicator_;
};

}  // namespace nopal::detail
