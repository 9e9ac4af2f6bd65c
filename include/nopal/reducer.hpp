// SPDX-License-Identifier: Apache-2.0
// These are variables that parallel strands update as the serial program would. See
// docs/reducer.md.
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs
#include "nopal/detail/reducer/checked_monoid.hpp"
#include "nopal/detail/reducer/updates.hpp"
#include "nopal/reducer/monoid.hpp"

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/reducer.hpp"
#else

#include <atomic>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "nopal/detail/reducer/view_table.hpp"

namespace nopal {

/// A variable that strands update in parallel, each in a view of its own, without waiting for each
/// other. Joins put the views together in the serial order. So the result is that of the serial
/// program for every associative operation, also for one that is not commutative.
/// \code
/// nopal::reducer<nopal::monoid::add<long>> sum;
/// nopal::parallel_invoke([&] { sum += 1; }, [&] { sum += 2; });
/// long three = sum.get_value();
/// \endcode
///
/// The first use of a reducer in a stolen strand makes a view there, with the identity. A program
/// without a steal has the leftmost view alone, which lies in the reducer. The view of a strand is
/// the same until its next fork, join, or wait; a loop that has none of these may keep a reference.
///
/// What is forked while the reducer lives must be joined before it ends, in the function that made
/// it; otherwise the program ends with a message. The same happens if a function that was spawned
/// comes to use the reducer when it has ended, and nothing else lies in its place yet. Functions
/// spawned in a task_scope have no serial order: their views follow those of whoever joins the
/// scope, in the order of their ends.
/// \tparam M  see reducer_monoid, and namespace monoid for those that are there.
///
/// Thread-safety: any strand that is forked, spawned and joined while the reducer lives may use it.
/// A thread that is no such strand has a view that nobody merges.
/// Complexity: a look-up is a few loads and a comparison. Each stolen strand that uses the reducer
/// allocates a view, which is merged once.
/// Source: Frigo, Halpern, Leiserson and Lewin-Berlin 2009.
template <class M>
class reducer : public detail::reducer_updates<reducer<M>, M> {
  using monoid = detail::checked_monoid<M>;

 public:
  using value_type = typename monoid::value_type;

  /// The leftmost view has the identity.
  /// \throws std::bad_alloc, and what the identity throws.
  reducer() : value_(identity()) { detail::begin_reducer(leftmost_); }
  /// The leftmost view is made from the arguments, with what a variable would have begun with.
  /// \throws std::bad_alloc, and what the construction throws.
  template <class A, class... More>
    requires(!std::same_as<std::remove_cvref_t<A>, reducer>)
  explicit reducer(A&& a, More&&... more)
      : value_(detail::first_view<value_type>(std::forward<A>(a), std::forward<More>(more)...)) {
    detail::begin_reducer(leftmost_);
  }
  ~reducer() {
    detail::end_reducer(&leftmost_, views_.load(std::memory_order_relaxed));
    lives_at_.store(nullptr, std::memory_order_relaxed);
  }
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  template <class X>
  reducer& operator=(X&&) = delete;  // a reducer r is set by *r = x

  /// The view of the calling strand.
  /// \throws std::bad_alloc, and what the identity throws; nothing has changed then.
  NOPAL_ALWAYS_INLINE value_type& view() {
#ifdef NOPAL_CILK_PLUGIN
    return *static_cast<value_type*>(__nopal_reducer_view(this, make_view));
#else
    return *static_cast<value_type*>(detail::value_of_view(this, make_view, this));
#endif
  }

 private:
  // The monoid is a variable, since g++ moves what a static function returns if it is called by a
  // temporary.
  static value_type identity() {
    const monoid m;
    return m.identity();
  }

  /// A view on cache lines of its own: the views of two strands are written at the same time.
  struct alignas(detail::cache_line) made_view : detail::view {
    explicit made_view(const reducer& of)
        : detail::view{&of, &made, &made_views}, made(identity()) {}
    value_type made;
  };

  static const reducer& of(const detail::view& v) noexcept {
    return *static_cast<const reducer*>(v.key);
  }
  static detail::view* make_view(const void* self) {
    const auto& r = *static_cast<const reducer*>(self);
    // If the reducer has ended, anything may lie there, but hardly ever its own address.
    if (r.lives_at_.load(std::memory_order_relaxed) != self) [[unlikely]]
      detail::reducer_has_ended();
    auto* v = new made_view(r);
    r.views_.fetch_add(1, std::memory_order_relaxed);
    return v;
  }
  static void reduce(detail::view& left, detail::view& right) noexcept {
    monoid().reduce(*static_cast<value_type*>(left.value), *static_cast<value_type*>(right.value));
  }
  static void end_made(detail::view& v) noexcept {
    of(v).views_.fetch_sub(1, std::memory_order_relaxed);
    delete static_cast<made_view*>(&v);
  }
  static void end_leftmost(detail::view& /*v*/) noexcept {}

  NOPAL_HIDDEN static constexpr detail::view::operations made_views{reduce, end_made, false};
  NOPAL_HIDDEN static constexpr detail::view::operations leftmost_views{reduce, end_leftmost, true};

  value_type value_;
  detail::view leftmost_{this, &value_, &leftmost_views};
  mutable std::atomic<std::size_t> views_{0};  ///< The number of views besides the leftmost one.
  /// Its own address, until it ends, for a strand that comes later to look at. It is atomic, since
  /// compilers drop the last plain store to an object.
  std::atomic<const void*> lives_at_{this};
};

}  // namespace nopal

#endif
