// SPDX-License-Identifier: Apache-2.0
// Every nopal::task is made of this: its place in the tree of tasks, its join, and the memory of
// its frame. docs/task.md has the protocol and its argument.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/split_counter.hpp"
#include "nopal/detail/join/thrown.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/strand_words.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/detail/task/task_awaiters.hpp"
#include "nopal/detail/task/task_frame.hpp"
#include "nopal/detail/task/task_stack.hpp"
#ifdef NOPAL_CHECK
#include "nopal/detail/task/checked_coroutine.hpp"
#endif

namespace nopal::detail {

class task_promise;
class task_waiter;
class repeated_task_waiter;
struct task_step;

/// A strand of plain code that has stopped until tasks have ended. It lies on the strand's stack.
struct alignas(16) stopped_strand {
  suspension self;
  /// The worker on which the last of these tasks ended calls this, when it has left its own stack.
  /// Returns the strand to go on with.
  suspension* (*tasks_ended)(stopped_strand&) noexcept;
};

/// The outermost task of a tree. nopal::wait waits for it or, after nopal::start, nobody.
struct alignas(16) outermost_task : stopped_strand {
  outermost_task() noexcept : stopped_strand{{}, task_has_ended} {}

  /// Starts `task`, which belongs to this, and returns when it has ended. Only on a worker.
  void run(task_promise& task) noexcept;

  std::exception_ptr exception;
  strand_views* views = nullptr;  ///< The views of the segment in which the task has ended.

 private:
  static suspension* task_has_ended(stopped_strand& s) noexcept;
  static suspension* strand_has_stopped(void* stopping) noexcept;

  arrival_word word_{0};  ///< Counts to two: the task has ended, the strand has stopped.
};

/// The promise of a task except for its result, and the continuation of its coroutine.
///
/// Its join is a split_counter, with the coroutine as the function that forks.
class task_promise : public continuation
#if NOPAL_AWAITERS_ARE_BASES
    ,
                     public fork_awaiter,
                     public call_awaiter,
                     public join_awaiter,
                     public end_awaiter
#endif
{
 public:
  enum class kind : std::uintptr_t {
    forked,  ///< The parent is on a deque, or stolen; or was not pushed, and waits.
    called,  ///< The parent waits for this one alone.
  };

  task_promise() noexcept { thrown_.begin(0); }
  task_promise(const task_promise&) = delete;
  task_promise& operator=(const task_promise&) = delete;

  /// Makes the frame of a coroutine on the stack that its parent has named just before, by
  /// make_child(), or on the heap if it has no parent.
#if NOPAL_ASAN
  NOPAL_NOINLINE  // clang 19 at -O0 confuses variables of this function with a coroutine's awaiters
#else
  NOPAL_ALWAYS_INLINE
#endif
      static void*
      operator new(std::size_t bytes) {
    const std::size_t all = sizeof(frame_header) + in_units(bytes);
    const auto [left, guessed] = take_words_of_strand();
    auto* on = static_cast<task_stack*>(left);
    auto* guess = static_cast<task_stack*>(guessed);
    // The parent has left the word just now. The address of the frame, and all that is written to
    // the frame, would wait until the word comes back from memory. A guess that was right does not
    // wait, as long as the compiler does not know that the two are the same.
    asm("" : "+r"(guess));
    if (on == guessed && guess->fits(all)) [[likely]] {
      const auto base = reinterpret_cast<std::uintptr_t>(guess);
      return new (guess->push_what_fits(all)) frame_header{base, base} + 1;
    }
    void* frame = keeping_registers([on, all] { return allocate_slowly(on, all); });
    if (frame == nullptr) [[unlikely]]
      no_memory_for_frame();
    return frame;
  }

  /// Makes a frame on `on`, which needs another stacklet, or on the heap if `on` is nullptr.
  /// Returns nullptr if there is no memory.
  static void* allocate_slowly(task_stack* on, std::size_t bytes_with_header) noexcept;
  [[noreturn]] static void no_memory_for_frame();
  /// \throws std::logic_error, which says that the task has been moved from.
  [[noreturn]] static void nothing_to_run();

  /// Frees a frame, wherever it lies.
  /// Precondition: no newer frame lies on the same stack.
  static void operator delete(void* frame, std::size_t) noexcept {
    frame_header* h = static_cast<frame_header*>(frame) - 1;
    if (h->lies_plainly()) [[likely]] {
      task_stack* base = h->base_stack();
      base->pop_within(h);
      set_guess_of_strand(base);  // the next child may lie there; see stack_of_plain_child()
    } else if (h->on_heap()) {
      ::operator delete(h);
    } else {
      h->base_stack()->pop(h);
    }
  }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  NOPAL_ALWAYS_INLINE void unhandled_exception() noexcept {
    leaves();
    note_current(handle().address());
  }

  /// Returns the handle of any coroutine: what compilers put before a promise of no more than this
  /// alignment does not depend on its type.
  [[nodiscard]] std::coroutine_handle<> handle() noexcept {
    return std::coroutine_handle<task_promise>::from_promise(*this);
  }
  /// Returns the promise in the frame of any task.
  [[nodiscard]] static task_promise& promise_in(void* frame) noexcept {
    return std::coroutine_handle<task_promise>::from_address(frame).promise();
  }
  /// Returns this coroutine, which is suspended, as what is left to the base of the chain.
  [[nodiscard]] left_to_base as_left() noexcept {
    return reinterpret_cast<left_to_base>(handle().address()) | 1;
  }
  /// Returns what goes on after a join: the coroutine itself, or, if it has ended with the join,
  /// what goes on then.
  left_to_base next_to_run() noexcept;
  /// Returns what operator new has put in front of the frame.
  [[nodiscard]] frame_header& header() noexcept {
    void* frame = handle().address();
#if NOPAL_CLANG_UBSAN
    // The sanitizer believes that an object of its own begins with the frame, and that nothing of
    // nopal's lies before it.
    asm("" : "+r"(frame));
#endif
    return *(static_cast<frame_header*>(frame) - 1);
  }

  // The parent uses what follows.

  // A co_await gets these awaiters. Each is for one kind of what a task awaits.
#if NOPAL_AWAITERS_ARE_BASES
  NOPAL_ALWAYS_INLINE fork_awaiter& awaiter_of_fork() noexcept { return *this; }
  NOPAL_ALWAYS_INLINE call_awaiter& awaiter_of_call() noexcept { return *this; }
  NOPAL_ALWAYS_INLINE join_awaiter& awaiter_of_join() noexcept { return *this; }
  NOPAL_ALWAYS_INLINE end_awaiter& final_suspend() noexcept { return *this; }
#else
  NOPAL_ALWAYS_INLINE fork_awaiter awaiter_of_fork() noexcept { return {}; }
  NOPAL_ALWAYS_INLINE call_awaiter awaiter_of_call() noexcept { return {this}; }
  NOPAL_ALWAYS_INLINE join_awaiter awaiter_of_join() noexcept { return {this}; }
  NOPAL_ALWAYS_INLINE end_awaiter final_suspend() noexcept { return {this}; }
#endif

  /// Calls make(), which calls a function that returns a task, so that its frame lies on this
  /// task's stack, and makes that its child. If make() throws, this waits for the children: the
  /// exception ends the scope that they may use.
  template <class Make>
  NOPAL_ALWAYS_INLINE auto make_child(kind k, Make&& make) {
    const std::uintptr_t on = header().children;
    leave_word_of_strand(reinterpret_cast<void*>(on));
    decltype(make()) child = nullptr;
    try {
      child = make();
    } catch (...) {
      join_after_throw(handle().address());
    }
    // This throws here and not in the handler. If an exception left the handler, the compiler would
    // keep a register for that, and save it at each step of the coroutine.
    if (child == nullptr) [[unlikely]]
      rethrow_first(handle().address());
    child->link_ =
        reinterpret_cast<std::uintptr_t>(handle().address()) + static_cast<std::uintptr_t>(k);
    if (child->header().base != on) [[unlikely]]
      keeping_registers([child, on] { child->adopt(on); });
    next = child;
    return child;
  }

  /// Makes this the outermost task of a tree, in the place of make_child().
  void belongs_to(outermost_task& t) noexcept {
    link_ = reinterpret_cast<std::uintptr_t>(&t);
    counter_.set(outermost);
  }

  /// The child that is to be forked or called: until then nobody else can find this continuation.
  [[nodiscard]] task_promise& next_child() const noexcept {
    return *static_cast<task_promise*>(next);
  }

  /// Makes this coroutine, which is suspended, stealable, and runs the child. Returns whether it
  /// stays suspended: not if the child has ended and this was not stolen.
  NOPAL_ALWAYS_INLINE bool fork() noexcept {
    task_promise& child = next_child();  // this belongs to a thief once it is pushed
    run_by(run_stolen);                  // set here, since half of all tasks fork none
    if (this_worker()->push(address_now(*this)) < 0) [[unlikely]] {
      keeping_registers([&child] { child.begins_later(not_pushed); });
      return true;
    }
    if (child.leaves_within()) [[unlikely]]
      return true;
    if (take_back_newest()) [[likely]]
      return false;
    keeping_registers([frame = handle().address()] {
      leave_to_base(promise_in(frame).child_has_arrived(stack_of_plain_child()));
    });
    return true;
  }

  /// Runs this coroutine, which begins, as a function that its suspended parent calls. Returns
  /// whether it has left something to the base; if not, it has ended.
  NOPAL_ALWAYS_INLINE bool leaves_within() noexcept {
    if (stack_of_strand_is_low()) [[unlikely]] {
      keeping_registers([this] { begins_later(0); });
      return true;
    }
    handle().resume();
    return word_of_strand_is_left();
  }

  /// Goes on with this coroutine, which is suspended, on a fresh stack. A continuation's `run`
  /// calls this.
  /// \param views  the views of its segment, linked.
  /// \param scope  the scope in which it goes on, if that is not the one of what was stolen.
  void run_on(worker& w, strand_views* views, stop_scope* scope) noexcept;
  /// Does the same after a step that may keep the coroutine suspended.
  void run_on(worker& w, strand_views* views, stop_scope* scope, task_step& first) noexcept;

  // These are for what any component lets a task wait for; see task_waiter.hpp.
  using waiter_of_task = task_waiter;
  using repeated_waiter_of_task = repeated_task_waiter;
  static constexpr std::size_t frame_alignment = segmented_stack::alignment;

  /// Whether a join has nothing to do.
  [[nodiscard]] bool joined() const noexcept { return counter_.untouched(); }

  /// Announces the arrival of this coroutine, which is suspended at a join. Returns what to leave.
  left_to_base arrive() noexcept;

  /// Notes that the base of the chain resumes this coroutine. Its end has to look for the parent
  /// then.
  void is_resumed() noexcept { counter_.set(resumed); }

  /// Finishes a join: every child has ended. Throws the exception of the serially first child that
  /// threw.
  NOPAL_ALWAYS_INLINE void finish_join() {
    if (joined()) [[likely]]
      return;
    counter_.clear();
    if (!thrown_.none()) rethrow_first(handle().address());
  }

  /// Finishes a call. If the call has thrown, this was a join as well.
  NOPAL_ALWAYS_INLINE void finish_call() {
    if (counter_.marked_with(call_has_thrown)) [[unlikely]]
      finish_join();
  }

  // These get the address of the coroutine's frame, which the compiler has to keep for its handlers
  // anyway. It would save one more register at each step if it had to keep the promise's, too.

  /// Takes note of what make() of make_child() has thrown, and joins. Called in a handler.
  static void join_after_throw(void* frame) noexcept;
  /// Throws the serially first of the exceptions of children and this task. Called after a join.
  [[noreturn]] static void rethrow_first(void* frame);

  /// Joins on the strand that runs the coroutine: returns when every child has ended. Does not
  /// throw: exceptions stay noted.
  void join_in_place() noexcept;

  /// Takes memory on the stack for children, on which no child is. What is taken last is to be
  /// freed first.
  [[nodiscard]] void* allocate_array(std::size_t bytes) {
    const std::size_t all = in_units(bytes);
    auto* on = reinterpret_cast<task_stack*>(header().children);
    return on != nullptr ? on->push(all) : ::operator new(all);
  }
  /// Frees what allocate_array() has taken last.
  void free_array(void* p, std::size_t bytes) noexcept {
    auto* on = reinterpret_cast<task_stack*>(header().children);
    if (on == nullptr) return ::operator delete(p);
#if NOPAL_ASSERTIONS
    if (!on->ends_at(static_cast<std::byte*>(p) + in_units(bytes))) array_is_not_the_last();
#endif
    static_cast<void>(bytes);
    on->pop(p);
  }

  // The end of the coroutine calls these.

  /// Whether nothing is left to do except to free the frame, and to return to the parent.
  [[nodiscard]] bool ends_plainly() noexcept {
    if ((counter_.state() & ~no_plain_place) != 0) return false;
    NOPAL_ASSERT(header().lies_plainly());
    if (!header().lies_plainly()) __builtin_unreachable();  // operator delete need not look
    return true;
  }
  /// Returns what to leave.
  left_to_base end() noexcept;

 protected:
#ifdef NOPAL_CHECK
  void leaves() noexcept { checked_.leaves(); }
  checked_coroutine checked_;
#else
  void leaves() const noexcept {}
#endif

  /// Whether there is a place for the result that is of the result's type, and no std::optional.
  [[nodiscard]] bool result_has_plain_place() const noexcept {
    return !counter_.has(no_plain_place);
  }
  void result_has_no_plain_place() noexcept { counter_.set(no_plain_place); }

  /// Whether the result has a plain place, and a join has nothing to do.
  [[nodiscard]] bool returns_plainly() noexcept {
    // The counter is read anew. Otherwise clang++ doubles what follows, once for a join that had
    // nothing to do, and computes the addresses of all that the two need at each step of the
    // coroutine.
    in_memory(counter_);
    return counter_.unmarked();
  }

  /// Joins, before a result is handed over.
  NOPAL_ALWAYS_INLINE void before_return() noexcept {
    if (!joined()) [[unlikely]]
      keeping_registers([frame = handle().address()] { promise_in(frame).join_in_place(); });
  }

 private:
  friend outermost_task;

  /// Rounds up to what a segmented stack takes, which is at least one unit.
  static constexpr std::size_t in_units(std::size_t bytes) noexcept {
    constexpr std::size_t a = segmented_stack::alignment;
    return bytes == 0 ? a : (bytes + a - 1) / a * a;
  }
  [[noreturn]] static void array_is_not_the_last() noexcept;

  using counter = split_counter<2, 6>;
  static constexpr std::uint64_t call_has_thrown = 1;
  static constexpr std::uint64_t child_has_thrown = 2;  ///< A child that was not stolen has thrown.
  // Whatever is unusual about a task is a mark beside its steals, so that its end looks at one
  // word.
  static constexpr std::uint64_t no_plain_place = 4;
  static constexpr std::uint64_t not_pushed = 8;  ///< Forked when the deque was full.
  static constexpr std::uint64_t outermost = 16;  ///< The parent is an outermost_task.
  static constexpr std::uint64_t frame_on_heap = 32;
  static constexpr std::uint64_t frame_begins_stacklet = 64;
  static constexpr std::uint64_t resumed = 128;  ///< The task does not run within its parent.
  static constexpr std::uintptr_t kind_bits = 1;

  static void run_stolen(continuation& c, worker& w) noexcept;
  static void run_at_home(continuation& c, worker& w) noexcept;
  [[nodiscard]] bool was_called() const noexcept {
    return (link_ & kind_bits) == static_cast<std::uintptr_t>(kind::called);
  }
  [[nodiscard]] task_promise& parent() const noexcept {
    return promise_in(reinterpret_cast<void*>(link_ & ~kind_bits));
  }
  void adopt(std::uintptr_t stack) noexcept;
  /// Notes the current exception as the last of the exceptions of this task's children. Called in a
  /// handler.
  static void note_current(void* frame) noexcept;
  void give_up_stack(std::uintptr_t instead) noexcept;
  bool arrives(std::int64_t counts) noexcept;
  /// Returns the stack of the child that has just ended within this task. The frame of the child
  /// was the last one that was freed on this thread.
  static task_stack* stack_of_plain_child() noexcept {
    return static_cast<task_stack*>(take_words_of_strand().guess);
  }
  /// Leaves this coroutine, which is to begin, to the base of the chain.
  void begins_later(std::uint64_t mark) noexcept {
    counter_.set(mark);
    leave_to_base(as_left());
  }
  // These return what to leave.
  left_to_base child_has_arrived(task_stack* base) noexcept;
  left_to_base all_have_arrived() noexcept;
  left_to_base end_joined() noexcept;
  left_to_base after_call(bool threw) noexcept;
  std::uint64_t steals_before(task_promise& child) noexcept;
  static suspension* announce_stopped(void* stopped_at_join) noexcept;

  std::uintptr_t link_;  ///< The parent's frame and a kind.
  counter counter_;
  /// Its number is, if the task has no base stack, the state of the parent's counter before this
  /// child was forked.
  thrown_by_children thrown_;
};

/// Returns the task that awaits by this awaiter.
template <class Awaiter>
NOPAL_ALWAYS_INLINE task_promise& awaited_by(Awaiter& a) noexcept {
#if NOPAL_AWAITERS_ARE_BASES
  return static_cast<task_promise&>(a);
#else
  return *a.task;
#endif
}

template <class P>
NOPAL_ALWAYS_INLINE bool call_awaiter::await_suspend(std::coroutine_handle<P> h) noexcept {
  return h.promise().next_child().leaves_within();
}
NOPAL_ALWAYS_INLINE void call_awaiter::await_resume() { awaited_by(*this).finish_call(); }

NOPAL_ALWAYS_INLINE bool join_awaiter::await_ready() noexcept { return awaited_by(*this).joined(); }
template <class P>
NOPAL_ALWAYS_INLINE bool join_awaiter::await_suspend(std::coroutine_handle<P> h) noexcept {
  keeping_registers(
      [frame = h.address()] { leave_to_base(task_promise::promise_in(frame).arrive()); });
  return true;
}
NOPAL_ALWAYS_INLINE void join_awaiter::await_resume() { awaited_by(*this).finish_join(); }

NOPAL_ALWAYS_INLINE bool end_awaiter::await_ready() noexcept {
  return awaited_by(*this).ends_plainly();
}
template <class P>
NOPAL_ALWAYS_INLINE void end_awaiter::await_suspend(std::coroutine_handle<P> h) noexcept {
  keeping_registers(
      [frame = h.address()] { leave_to_base(task_promise::promise_in(frame).end()); });
}

}  // namespace nopal::detail
