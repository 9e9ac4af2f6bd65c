// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/worker_local.hpp"
#else

#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/async/checked_local.hpp"
#include "nopal/detail/async/worker_slots.hpp"

namespace nopal {

/// A T for each worker, whatever its runtime, which no two strands use at a time: a sum, a buffer,
/// a generator of random numbers. It is made when a worker first uses it.
/// \code
/// nopal::worker_local<long> sum;
/// nopal::for_each(std::views::iota(0, 1000), [&](int i) { sum.with([&](long& s) { s += i; }); });
/// long all = sum.combine(std::plus<>{}).value_or(0);
/// \endcode
///
/// A T goes with a worker and not with a strand. A strand may find another T after each fork, join
/// and wait, and another strand may have used the T that it had before.
///
/// A thread of a runtime has another T in each claim than in the runtime.
///
/// A T has cache lines of its own. If a runtime ends, the T of its workers stay, and workers that
/// are started later may go on to use them. All threads that are no workers share one more T, and
/// wait for each other.
///
/// Thread-safety: any thread may call with() at any time; nobody else uses the object while
/// combine() or the destructor runs.
/// Complexity: an indexed load, if the worker has its T already. Making one takes a lock, and maybe
/// a copy of a table of pointers. Threads that are no workers take a lock.
template <class T>
class worker_local {
 public:
  /// Each T is made by T().
  worker_local() : make_(detail::default_maker<T>()) {}

  /// Each T is made by make(), which several workers may call at a time.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, worker_local>)
  explicit worker_local(F&& make) : make_(detail::maker<T>(std::forward<F>(make))) {}

  ~worker_local() {
    slots_.for_each([](void* p) { delete static_cast<cell*>(p); });
  }
  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;

  /// Calls f with the T of the calling worker, and returns what it returns. f must not fork, join
  /// or wait for anything that lets its strand leave the worker. With NOPAL_CHECK the program ends
  /// with a message if it does. f may use this or another worker_local again.
  /// \throws whatever f throws, or the construction of T, or std::bad_alloc: without a T, nothing
  /// has changed.
  template <class F>
  decltype(auto) with(F&& f) {
    if constexpr (detail::check_with<T, F>()) return call_with_mine(std::forward<F>(f));
  }

  /// Folds a copy of all T that there are, in no particular order: op(T, const T&) is associative
  /// and commutative. Call it when whatever uses the values has been joined.
  /// \returns nothing if nobody has called with().
  template <class Op>
  [[nodiscard]] std::optional<T> combine(Op op) const {
    std::optional<T> all;
    if constexpr (detail::check_combine<T, Op>()) {
      const auto add = [&](const T& value) {
        if (all.has_value())
          all.emplace(std::invoke(op, *std::move(all), value));
        else
          all.emplace(value);
      };
      slots_.for_each([&](const void* p) { add(static_cast<const cell*>(p)->value); });
      if (outside_ != nullptr) add(outside_->value);
    }
    return all;
  }

 private:
  struct alignas(detail::cache_line) cell {
    T value;
  };

  template <class F>
  decltype(auto) call_with_mine(F&& f) {
    const detail::worker* w = detail::this_worker();
    if (w == nullptr) return call_outside(std::forward<F>(f));
#ifdef NOPAL_CHECK
    const detail::stays_on_worker check;
#endif
    void* found = slots_.find(*w);
    if (found == nullptr) [[unlikely]]
      found = put_cell(*w);
    return std::invoke(std::forward<F>(f), static_cast<cell*>(found)->value);
  }

  template <class F>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE decltype(auto) call_outside(F&& f) {
    const std::lock_guard lock(outside_mutex_);
    if (outside_ == nullptr) outside_ = make_cell();
    return std::invoke(std::forward<F>(f), outside_->value);
  }

  std::unique_ptr<cell> make_cell() { return std::unique_ptr<cell>(new cell{make_()}); }
  NOPAL_NOINLINE void* put_cell(const detail::worker& w) {
    std::unique_ptr<cell> made = make_cell();
    slots_.put(w, made.get());
    return made.release();
  }

  std::function<T()> make_;
  detail::worker_slots slots_;
  std::recursive_mutex outside_mutex_;
  std::unique_ptr<cell> outside_;  ///< The T of the threads that are no workers.
};

}  // namespace nopal

#endif
