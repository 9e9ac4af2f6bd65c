// SPDX-License-Identifier: Apache-2.0
// This is one join for all pieces of a row: for the closures of a parallel_invoke of three and
// more, or for the blocks of a loop. docs/join.md has the protocol and its argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "nopal/detail/join/split_counter.hpp"
#include "nopal/detail/join/thrown.hpp"
#include "nopal/detail/join/two_way_join.hpp"

namespace nopal::detail {

/// The join lies in the frame that forks, and is the continuation that runs what is left of the
/// row. As long as the owner runs pieces this is a two-way join, which the owner pushes anew before
/// each piece.
///
/// A thief pushes one more continuation, which lies in the join, before each piece that it runs,
/// except the last. A thief that is stolen from meanwhile ends with its piece, so that only the
/// owner's stack waits here. Thieves count each other by a split counter. The last of them to
/// arrive is the thief of the two-way join.
class shared_join : public two_way_join_base {
 public:
  /// Says why take_back() has failed, as the base's function does. Returns true if nothing was
  /// pushed. Else returns false when all thieves have arrived, and the owner has their views, or
  /// rethrows the first of their exceptions. The owner calls this.
  bool was_not_pushed_or_wait();
  /// Returns when nobody else uses this, and drops the views and exceptions of all thieves. The
  /// owner calls this in place of take_back() if its own piece has thrown.
  void abandon() noexcept;
  /// Calls abandon(), and holds what the owner has thrown, as the base's function does.
  void abandon_and_hold() noexcept;

  /// Calls piece(argument) while this can be stolen. Returns if it was not stolen, and the piece
  /// has returned. A thief calls this.
  void call_stealable(void (*piece)(void*), void* argument) noexcept;

 protected:
  /// A function that a thief runs: it runs what is left of the row, each piece except the last by
  /// call_stealable().
  using run_of_rest = void (*)(shared_join& join);

  // The first thief begins what the thieves share, so that a fork does not pay for it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  NOPAL_ALWAYS_INLINE shared_join(void (*run_stolen)(continuation&, worker&) noexcept,
                                  worker* w) noexcept
      : two_way_join_base(run_stolen, w) {}
  NOPAL_ALWAYS_INLINE ~shared_join() {}  // the strand that goes on has taken what thieves left
  shared_join(const shared_join&) = delete;
  shared_join& operator=(const shared_join&) = delete;

  /// Starts the strand of `thief`, which stole from the owner and is on its scheduler stack.
  /// Returns when the strand has left.
  void start_first(worker& thief, run_of_rest run) noexcept;

 private:
  /// What the thieves share. This is the continuation of a thief: the word of the join itself is
  /// that of the owner and of the last thief. The thief that runs the rest of the row hands this on
  /// by the deque. A thief that was stolen from touches only the counter's word and the lists.
  struct thieves : continuation {
    thieves(shared_join& j, run_of_rest r, const fp_control& f) noexcept
        : continuation(run_stolen_from_thief), join(&j), run_rest(r), fp(f) {
      thrown.begin(0);
    }

    shared_join* join;
    run_of_rest run_rest;
    fp_control fp;  ///< Each thief begins with these words.
    split_counter<0> counter;
    thrown_by_children thrown;  ///< Ordered by the number of steals from thieves before.
  };

  static void run_stolen_from_thief(continuation& c, worker& w) noexcept;
  static void strand(void* self);
  static suspension* announce_stolen_from(void* self) noexcept;
  static suspension* announce_end_of_row(void* self) noexcept;
  void start_thief(worker& w) noexcept;
  void note_exception(std::uint64_t segment) noexcept;
  [[noreturn]] void arrive_stolen_from(std::uint64_t segment) noexcept;
  [[noreturn]] void arrive_at_end_of_row() noexcept;

  union {
    thieves thieves_;
  };
};

/// The join of three closures or more. `Closures` is a tuple of those that a thief may find: all
/// except the first.
template <class Closures>
class join_of_closures final : public shared_join {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  NOPAL_ALWAYS_INLINE join_of_closures(Closures& all, worker* w) noexcept
      : shared_join(run_stolen<0>, w), all_(&all) {}

  /// Leaves to a thief the closures from number I on. At first a thief would run all of them. The
  /// owner calls this.
  template <std::size_t I>
  NOPAL_ALWAYS_INLINE void leave() noexcept {
    run_by(run_stolen<I>);
  }

 private:
  using closure = void (*)(void* all);

  template <std::size_t I>
  static void call(void* all) {
    std::get<I> (*static_cast<Closures*>(all))();
  }
  // The table is a class, because g++ ignores the attribute of a static local and of a member
  // template.
  template <class Indices>
  struct table;
  template <std::size_t... I>
  struct table<std::index_sequence<I...>> {
    NOPAL_HIDDEN static constexpr std::array<closure, sizeof...(I)> calls{call<I>...};
  };

  /// Begins with closure I, on the first thief. It runs this as its continuation.
  template <std::size_t I>
  static void run_stolen(continuation& c, worker& w) noexcept {
    auto& self = static_cast<join_of_closures&>(c);
    self.next_ = I;
    self.start_first(w, run_rest);
  }

  /// Runs the closures that are left, on a thief; see run_of_rest.
  static void run_rest(shared_join& join) {
    constexpr const auto& calls =
        table<std::make_index_sequence<std::tuple_size_v<Closures>>>::calls;
    auto& self = static_cast<join_of_closures&>(join);
    while (self.next_ + 1 < calls.size()) self.call_stealable(calls[self.next_++], self.all_);
    calls.back()(self.all_);
  }

  Closures* all_;
  /// The closure that the thief which runs the rest is to call next.
  std::size_t next_;
};

}  // namespace nopal::detail
