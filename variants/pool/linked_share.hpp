// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "nopal/detail/pool/empty_indicator.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/sc_pool.hpp"
#include "variants/pool/hazard_nodes.hpp"

namespace nopal::detail {

/// The result of a list's pop(): the node whose element is now the caller's, which is protected,
/// and the node that is unlinked, which the caller retires afterwards.
template <class T>
struct taken_node {
  element_node<T>* element = nullptr;
  element_node<T>* unlinked = nullptr;
};

/// The pool of one consumer as a linked list of elements: what ms_queue and lifo_stack have in
/// common. Everybody takes from it in the same way, so a steal is a get elsewhere. It
/// keeps no room that a producer could find full, so producers never turn to another consumer.
///
/// \tparam List  made with hazard_nodes<T>&; has push(thread, node*); pop(thread), which returns a
/// taken_node<T>; and is_empty(thread).
template <class T, template <class> class List>
class linked_share {
 public:
  using value_type = T;

  struct common {
    explicit common(const sc_pool_options& o) : options(o), nodes(o) {}
    const sc_pool_options options;
    hazard_nodes<T> nodes;
  };
  struct producer_end {
    explicit producer_end(unsigned number) noexcept : id(number) {}
    unsigned id;
  };

  linked_share(common& shared, unsigned consumer)
      : common_(shared), id_(consumer), list_(shared.nodes), indicator_(shared.options.consumers) {}

  template <class... A>
  bool put_if_room(producer_end& in, A&&... args) {
    put(in, std::forward<A>(args)...);
    return true;
  }
  template <class... A>
  void put(producer_end& in, A&&... args) {
    list_.push(in.id, common_.nodes.make(in.id, std::forward<A>(args)...));
  }

  bool get(std::optional<T>& to) { return take(id_, to); }
  bool steal(linked_share& victim, std::optional<T>& to) { return victim.take(id_, to); }

  [[nodiscard]] bool is_empty(unsigned consumer) const noexcept {
    return list_.is_empty(common_.nodes.thread_of_consumer(consumer));
  }
  void set_indicator(unsigned consumer) noexcept { indicator_.set(consumer); }
  [[nodiscard]] bool check_indicator(unsigned consumer) const noexcept {
    return indicator_.is_set(consumer);
  }

  void let_go() noexcept { common_.nodes.let_go(common_.nodes.thread_of_consumer(id_)); }

 private:
  bool take(unsigned consumer, std::optional<T>& to) {
    const unsigned thread = common_.nodes.thread_of_consumer(consumer);
    const auto taken = list_.pop(thread);
    if (taken.element == nullptr) return false;
    indicator_.clear_if_set();
    struct finish {
      hazard_nodes<T>& nodes;
      unsigned thread;
      decltype(taken) done;
      ~finish() {
        std::destroy_at(&done.element->value());
        nodes.retire(thread, done.unlinked);
      }
    };
    emit<pool_events::moving>();
    const finish at_end{common_.nodes, thread, taken};
    to.emplace(std::move(taken.element->value()));
    return true;
  }

  common& common_;
  const unsigned id_;
  List<T> list_;
  empty_indicator indicator_;
};

}  // namespace nopal::detail
