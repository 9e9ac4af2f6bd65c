// SPDX-License-Identifier: Apache-2.0
// nopal::pool: elements on their way from producers to consumers. See docs/pool.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/gate.hpp"
#include "nopal/detail/pool/handles.hpp"
#include "nopal/detail/pool/managed_pool.hpp"
#include "nopal/detail/pool/pool_body.hpp"
#include "nopal/detail/pool/salsa.hpp"
#include "nopal/detail/pool/wait_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/pool/options.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal {

template <class T, class Mechanism>
class pool_producer;
template <class T, class Mechanism>
class pool_consumer;

/// A put into a closed pool throws this.
class pool_closed : public std::logic_error {
 public:
  pool_closed() : std::logic_error("nopal: put into a pool that is closed") {}
};

/// Takes elements from any number of producers and hands each to one of any number of consumers, in
/// no order.
///
/// A producer or a consumer is a handle, which one strand, task or thread uses at a time. As long
/// as no consumer has to look for elements elsewhere, neither side executes an atomic
/// read-modify-write or a fence for an element. A consumer that finds nothing of its own takes over
/// chunks of elements from others. A thread that stops in the middle of put() or get() delays no
/// other thread in these functions, and keeps at most one element from them; consumers that wait
/// may depend on it (docs/pool.md, Progress).
/// \code
/// nopal::pool<int> numbers({.producers = 1, .consumers = 2});
/// {
///   auto in = numbers.producer();
///   for (int i = 0; i < 1000; ++i) in.put(i);
/// }
/// numbers.close();
/// auto count = [&] {
///   auto out = numbers.consumer();
///   int n = 0;
///   for ([[maybe_unused]] int& x : out.all()) ++n;  // until the pool is closed and empty
///   return n;
/// };
/// int a = 0, b = 0;
/// nopal::parallel_invoke([&] { a = count(); }, [&] { b = count(); });  // a + b == 1000
/// \endcode
///
/// \tparam T  any object type that can be moved, of any size and alignment. If its move throws
/// while an element is got, the element counts as taken: it is destroyed, and the exception goes to
/// the caller. T's constructors and destructor must not use the handle that calls them.
/// \tparam Mechanism  what keeps a consumer's share of the elements. The promises above are those
/// of SALSA; other mechanisms exist to be compared with it (docs/pool.md, Other mechanisms).
/// Memory: grows with the number of elements in the pool. It is given back when the pool is
/// destroyed, and the elements that are still in it are destroyed too. All handles must have been
/// destroyed before, or the process ends with a message; and close() must have returned.
/// Thread-safety: producer(), consumer(), close() and is_closed() may be called by any thread.
/// Source: SALSA, Gidron, Keidar, Perelman and Perez, SPAA 2012, with the changes of docs/pool.md.
template <class T, class Mechanism = detail::salsa<T>>
class pool {
  static_assert(detail::is_element<T>,
                "nopal::pool<T>: T must be an object type that can be moved");
  static_assert(detail::checked_mechanism<T, Mechanism>::fits,
                "nopal::pool<T, Mechanism>: Mechanism must be one for T, such as detail::salsa<T>");

 public:
  using value_type = T;

  pool() : pool(pool_options{}) {}
  /// A pool with these options.
  /// \throws std::invalid_argument naming the option that is out of range; std::bad_alloc.
  explicit pool(const pool_options& o) : body_(detail::checked(o)) {}
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  void begin() = delete;  // c = p.consumer() of a pool p, then for (T& x : c.all()) or c.drain()
  void end() = delete;

  /// A handle for putting.
  /// \throws std::length_error naming the limit if pool_options::producers of them exist.
  [[nodiscard]] pool_producer<T, Mechanism> producer() {
    return pool_producer<T, Mechanism>(body_);
  }

  /// A handle for getting.
  /// \throws std::length_error naming the limit if pool_options::consumers of them exist.
  [[nodiscard]] pool_consumer<T, Mechanism> consumer() {
    return pool_consumer<T, Mechanism>(body_);
  }

  /// Lets no put in any more. Consumers that wait return when everything that was put has been
  /// taken. Any thread may call it, any number of times.
  void close() noexcept {
    body_.gate.close();
    body_.sleepers.wake_all();
  }
  [[nodiscard]] bool is_closed() const noexcept { return body_.gate.is_closed(); }

 private:
  detail::pool_body<typename detail::checked_mechanism<T, Mechanism>::type> body_;
};

// A pool without a T is refused by the message about T.
pool() -> pool<void>;
pool(pool_options) -> pool<void>;

/// A handle that puts elements into a pool. pool::producer() returns one.
/// \code
/// nopal::pool<std::string> lines;
/// auto in = lines.producer();
/// in.put("a line");
/// in.emplace(3, 'x');                      // made where it will lie: "xxx"
/// lines.close();
/// bool was_open = in.try_put("too late");  // false
/// \endcode
///
/// A handle that has been moved from may be destroyed and assigned to, and nothing else; with
/// NOPAL_CHECK the program ends with a message.
/// Thread-safety: one strand, task or thread at a time uses a handle.
/// Complexity: lock-free, except that a chunk is allocated when none is spare. A put that needs no
/// new chunk, as all but one of pool_options::chunk do, is wait-free.
template <class T, class Mechanism = detail::salsa<T>>
class pool_producer {
 public:
  pool_producer() = delete;                                    // p.producer() of a pool p makes one
  explicit pool_producer(const pool<T, Mechanism>&) = delete;  // p.producer() of a pool p makes one
  pool_producer(pool_producer&& other) noexcept : link_(std::exchange(other.link_, {})) {}
  pool_producer& operator=(pool_producer other) noexcept {
    std::swap(link_, other.link_);
    return *this;
  }
  ~pool_producer() {
    if (link_.body != nullptr) link_.body->producers.give_back(link_.id);
  }

  /// Puts `x`. The pool is never full. An exception leaves the pool as it was.
  /// \throws std::invalid_argument if T is a pointer, and `x` is 0x8000000000000001 or
  /// 0x8000000000000003, which no object has as its address: a pool of pointers keeps these values.
  /// \throws std::bad_alloc, or pool_closed if the pool is closed: `x` is untouched then; and
  /// whatever the move of T throws.
  void put(T&& x) { emplace(std::move(x)); }
  void put(const T& x)
    requires std::is_copy_constructible_v<T>
  {
    emplace(x);
  }
  template <class... A>
    requires(!detail::is_put<T, A...>)
  void put(A&&... /*x*/) {
    detail::refuse_put<T, A...>();
  }

  /// Like put(), but makes the element from `args` where it will lie.
  template <class... A>
  NOPAL_ALWAYS_INLINE void emplace(A&&... args) {
    if constexpr (detail::check_element<T, A...>())
      if (!try_emplace(std::forward<A>(args)...)) [[unlikely]]
        throw pool_closed();
  }

  /// Like put() and emplace(), but returns false, with the arguments untouched, if the pool is
  /// closed.
  [[nodiscard]] bool try_put(T&& x) { return try_emplace(std::move(x)); }
  template <class... A>
    requires(!detail::is_try_put<T, A...>)
  [[nodiscard]] bool try_put(A&&... /*x*/) {
    detail::refuse_try_put<T, A...>();
    return false;
  }
  template <class... A>
  [[nodiscard]] NOPAL_ALWAYS_INLINE bool try_emplace(A&&... args) {
    if constexpr (detail::check_element<T, A...>()) {
      detail::pool_handles::require(link_.body);
      const detail::pool_handles::use mine(link_.body->producers, link_.id);
      if (!link_.body->gate.enter(*link_.door)) [[unlikely]]
        return refuse();
      const visit inside{*link_.body, *link_.door};
      link_.body->elements.put(*link_.side, std::forward<A>(args)...);
      detail::emit<detail::pool_events::put>();
      return true;
    } else {
      return false;
    }
  }

 private:
  friend class pool<T, Mechanism>;

  using body = detail::pool_body<Mechanism>;
  using door = detail::pool_gate::door;

  explicit pool_producer(body& pool) : link_{&pool, pool.producers.take()} {
    link_.side = &pool.elements.producer(link_.id);
    link_.door = &pool.gate[link_.id];
  }

  struct visit {
    detail::pool_body<Mechanism>& to;
    door& through;
    ~visit() {
      to.gate.leave(through);
      // Pairs with heavy_fence() in managed_pool::is_empty() and pool_gate::is_over().
      detail::light_fence();
      to.sleepers.notify();
    }
  };

  NOPAL_NOINLINE bool refuse() {
    const visit inside{*link_.body, *link_.door};
    return false;
  }

  struct link {
    detail::pool_body<Mechanism>* body = nullptr;
    unsigned id = 0;
    typename detail::managed_pool<Mechanism>::producer_side* side = nullptr;
    detail::pool_gate::door* door = nullptr;
  };
  link link_;
};

/// The elements that come out of a pool, as an input range. pool_consumer::drain() and all() return
/// one.
/// \tparam waits  if true, the range ends when the pool is empty and either closed or a stop has
/// been requested; if false, when the pool is empty.
template <class T, bool waits, class Mechanism = detail::salsa<T>>
class pool_range {
 public:
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    explicit iterator(pool_range& r) : range_(&r) {}
    T& operator*() const { return *range_->element_; }
    iterator& operator++() {
      range_->next();
      return *this;
    }
    void operator++(int) { range_->next(); }
    bool operator==(std::default_sentinel_t) const { return range_->at_end(); }

   private:
    pool_range* range_ = nullptr;
  };

  explicit pool_range(pool_consumer<T, Mechanism>& from, std::stop_token stop = {})
      : from_(&from), stop_(std::move(stop)) {}
  iterator begin() {
    next();
    return iterator(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  void next();
  [[nodiscard]] bool at_end() const noexcept { return !element_.has_value(); }

  pool_consumer<T, Mechanism>* from_;
  std::stop_token stop_;
  std::optional<T> element_;
};

/// A handle that gets elements out of a pool. pool::consumer() returns one.
/// \code
/// nopal::pool<int> numbers;
/// auto in = numbers.producer();
/// auto out = numbers.consumer();
/// in.put(1);
/// std::optional<int> one = out.get();                                      // 1
/// std::optional<int> none = out.wait_for(std::chrono::microseconds(10));  // nothing came
/// std::error_code error;
/// none = out.wait(error, std::chrono::microseconds(10));  // std::errc::timed_out
/// for (int& x : out.drain()) std::ignore = x;                             // what is there now
/// \endcode
///
/// A handle that has been moved from may be used as a pool_producer that has been moved from.
/// Thread-safety: one strand, task or thread at a time uses a handle.
template <class T, class Mechanism = detail::salsa<T>>
class pool_consumer {
 public:
  pool_consumer() = delete;                                    // p.consumer() of a pool p makes one
  explicit pool_consumer(const pool<T, Mechanism>&) = delete;  // p.consumer() of a pool p makes one
  pool_consumer(pool_consumer&& other) noexcept
      : body_(std::exchange(other.body_, nullptr)), side_(std::exchange(other.side_, nullptr)) {}
  pool_consumer& operator=(pool_consumer other) noexcept {
    std::swap(body_, other.body_);
    std::swap(side_, other.side_);
    return *this;
  }
  ~pool_consumer() {
    if (body_ == nullptr) return;
    body_->elements.let_go(*side_);
    body_->consumers.give_back(side_->id);
  }

  /// Returns an element, or nothing if the pool was empty at some moment during the call.
  /// \throws whatever the move of T throws, and that element is gone; std::bad_alloc if there is no
  /// memory to take over a chunk, and nothing is lost.
  /// Complexity: lock-free.
  [[nodiscard]] std::optional<T> get() {
    std::optional<T> to;
    get(to);
    return detail::returned(to);
  }

  /// Returns an element if one look at each consumer's share finds any. So it may return nothing
  /// although the pool is never empty, since elements may move from one share to another meanwhile.
  /// It is meant for a consumer that comes again soon. get() finds out whether the pool is empty,
  /// for which it looks at all shares as often as there are consumers.
  /// \code
  /// nopal::pool<int> numbers;
  /// auto in = numbers.producer();
  /// auto out = numbers.consumer();
  /// in.put(1);
  /// std::optional<int> one = out.try_get();   // 1
  /// std::optional<int> none = out.try_get();  // nothing
  /// \endcode
  /// \returns nothing, too, if no element was found.
  /// \throws as get().
  /// Thread-safety: one thread at a time uses a handle.
  /// Complexity: lock-free; one look at the `producers` + 1 lists of every consumer at most.
  /// Source: the paper's consume() without checkEmpty(), section 1.4.
  [[nodiscard]] std::optional<T> try_get() {
    std::optional<T> to;
    {
      detail::pool_handles::require(body_);
      const detail::pool_handles::use mine(body_->consumers, side_->id);
      body_->elements.try_get(*side_, to);
    }
    return detail::returned(to);
  }

  /// Fills `to` from its beginning with as many elements as are at hand, by move assignment, and
  /// returns their number: 0 only if `to` is empty, or if the pool was empty at some moment during
  /// the call. The move of T must not throw, since nobody would know then how many elements have
  /// come.
  /// \throws std::bad_alloc like get(), with nothing got.
  std::size_t get(std::span<T> to)
    requires detail::is_got_in_a_row<T>
  {
    detail::pool_handles::require(body_);
    const detail::pool_handles::use mine(body_->consumers, side_->id);
    std::size_t n = 0;
    for (std::optional<T> x; n < to.size(); ++n) {
      if (!(n == 0 ? body_->elements.get(*side_, x) : body_->elements.get_if_near(*side_, x)))
        break;
      to[n] = std::move(*x);
    }
    return n;
  }

  template <class... A>
    requires(!detail::is_place_for_elements<T, A...>)
  std::size_t get(A&&... /*to*/) {
    detail::refuse_place<T, A...>();
    return 0;
  }

  /// Waits until there is an element, and returns it; nothing if the pool is closed and empty. The
  /// calling strand is suspended meanwhile; a thread that is no worker sleeps. A task writes
  /// `co_await c.wait()`.
  /// \code
  /// nopal::pool<int> numbers;
  /// auto in = numbers.producer();
  /// auto out = numbers.consumer();
  /// int sum = 0;
  /// nopal::parallel_invoke(
  ///     [&] {
  ///       while (std::optional<int> x = out.wait()) sum += *x;
  ///     },
  ///     [&] {
  ///       for (int i = 0; i < 10; ++i) in.put(i);
  ///       numbers.close();
  ///     });
  /// \endcode
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait() { return waiting<detail::no_limits>({}); }
  /// Waits for an element, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop; also as get().
  auto wait(const limits& within) { return waiting<detail::call_limits>({within, nullptr}); }
  /// Does the same without an exception for a limit. Returns nothing if there is an error.
  auto wait(std::error_code& error, const limits& within) {
    return waiting<detail::call_limits>({within, &error});
  }
  template <class... A>
    requires(!detail::is_limits<A...>)
  std::optional<T> wait(A&&... /*within*/) {
    detail::refuse_wait<T, A...>();
    return {};
  }

  // What follows is not inlined, because of what it throws: see held_exception.hpp.

  /// Does what wait() does, and returns nothing, too, if the time is over or a stop has been
  /// requested of the token. Then the pool was empty at some moment during the call.
  /// \throws as wait(); std::system_error if there is no memory or thread for a deadline.
  template <class Rep, class Period>
  [[nodiscard]] NOPAL_NOINLINE std::optional<T> wait_for(
      const std::chrono::duration<Rep, Period>& time, std::stop_token stop = {}) {
    return get_within({std::move(stop), time});
  }
  template <class Clock, class Duration>
  [[nodiscard]] NOPAL_NOINLINE std::optional<T> wait_until(
      const std::chrono::time_point<Clock, Duration>& time, std::stop_token stop = {}) {
    return get_within({std::move(stop), time});
  }
  template <class Time>
  std::optional<T> wait_until(const Time& /*time*/, const std::stop_token& /*stop*/ = {}) {
    detail::refuse_wait<T, Time>();
    return {};
  }
  template <class Time>
  std::optional<T> wait_for(const Time& /*time*/, const std::stop_token& /*stop*/ = {}) {
    detail::refuse_wait<T, Time>();
    return {};
  }

  void begin() = delete;  // for (T& x : c.all()) or c.drain(), of a consumer c
  void end() = delete;

  /// The elements that can be had without waiting: `for (T& x : consumer.drain())`.
  [[nodiscard]] pool_range<T, false, Mechanism> drain() {
    return pool_range<T, false, Mechanism>(*this);
  }

  /// The elements that come until the pool is closed or, if a stop is requested of the token, until
  /// it is empty. Going on to the next one throws what wait() does.
  [[nodiscard]] pool_range<T, true, Mechanism> all(std::stop_token stop = {}) {
    return pool_range<T, true, Mechanism>(*this, std::move(stop));
  }

 private:
  friend class pool<T, Mechanism>;
  friend class pool_range<T, false, Mechanism>;
  friend class pool_range<T, true, Mechanism>;

  explicit pool_consumer(detail::pool_body<Mechanism>& body)
      : body_(&body), side_(&body.elements.consumer(body.consumers.take())) {}

  template <class Limits>
  using waiting_call = detail::wait_call<detail::pool_wait_operation<T, Mechanism>, Limits>;

  template <class Limits>
  waiting_call<Limits> waiting(const Limits& l) {
    detail::pool_handles::require(body_);
    return waiting_call<Limits>(l, *body_, *side_);
  }

  bool get(std::optional<T>& to) {
    detail::pool_handles::require(body_);
    const detail::pool_handles::use mine(body_->consumers, side_->id);
    return body_->elements.get(*side_, to);
  }

  /// Gets an element, and waits for one within limits if there is none. Returns nothing if one of
  /// these ends the wait, or if the pool is over.
  /// \throws nopal::stopped if a stop of the caller's scope ends the wait; std::system_error if
  /// there is no memory or thread for a deadline. It is not inlined either.
  NOPAL_NOINLINE std::optional<T> get_within(const limits& within) {
    std::optional<T> to;
    if (get(to)) return detail::returned(to);
    std::error_code error;
    std::optional<T> waited_for = wait(error, within);
    if (error && error != std::errc::timed_out && !within.stop.stop_requested()) [[unlikely]]
      detail::throw_limit(error == std::errc::operation_canceled ? detail::decision::stopped
                                                                 : detail::decision::no_timer,
                          "nopal::pool: wait");
    return waited_for;
  }

  detail::pool_body<Mechanism>* body_;
  typename detail::managed_pool<Mechanism>::consumer_side* side_;
};

template <class T, bool waits, class Mechanism>
void pool_range<T, waits, Mechanism>::next() {
  element_.reset();
  if constexpr (waits) {
    std::optional<T> x = from_->get_within(stop_);
    if (x.has_value()) element_.emplace(*std::move(x));
  } else {
    from_->get(element_);
  }
}

}  // namespace nopal
