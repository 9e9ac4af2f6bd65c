// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/task_promise.hpp"

#include <stdexcept>
#include <utility>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/scheduler/submission.hpp"
#include "nopal/detail/task/task_waiter.hpp"
#include "platform/message.hpp"
#include "strand/events.hpp"

namespace nopal::detail {
namespace {

std::uintptr_t as_word(void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

/// Tells the strand that waits for tasks, if there is one, that they have ended. Returns the strand
/// that the worker is to take up, or nullptr.
suspension* announce_end(void* stopped) noexcept {
  if (stopped == nullptr) return nullptr;
  auto& s = *static_cast<stopped_strand*>(stopped);
  return s.tasks_ended(s);
}

/// Goes on with what was left, and with what that leaves, until there is no coroutine that this
/// worker can go on with. Returns the strand that the last one has left to be taken up, or nullptr.
stopped_strand* run_chain(left_to_base left) noexcept {
  while ((left & 1) != 0) {
    const auto next =
        std::coroutine_handle<task_promise>::from_address(reinterpret_cast<void*>(left - 1));
    next.promise().is_resumed();
    next.resume();
    left = as_word(take_words_of_strand().left);
    NOPAL_ASSERT(left != 0);  // a coroutine that was resumed does not end plainly
  }
  return left == chain_ends ? nullptr : reinterpret_cast<stopped_strand*>(left);
}

/// Runs a task, and what follows it, on a strand of its own, which it ends. run_on() starts it.
void go_on(void* task) {
  merge_linked_views();
  stopped_strand* stopped = run_chain(static_cast<task_promise*>(task)->next_to_run());
  end_strand({announce_end, stopped, nullptr});
}

/// Does the same after a step, unless that keeps the task suspended.
void go_on_after(void* step) {
  merge_linked_views();
  const task_step first = *static_cast<task_step*>(step);
  const left_to_base left = first.is_to_wait(first.argument) ? as_word(take_words_of_strand().left)
                                                             : first.task->next_to_run();
  end_strand({announce_end, run_chain(left), nullptr});
}

/// Returns the state with which the strand of a task begins on a worker.
strand_state state_on(worker& w, const frame_header& of, strand_views* views,
                      stop_scope* scope) noexcept {
  strand_state state{};
  if (const task_stack* base = of.base_stack())
    state = base->outside;
  else
    state.fp = w.strand_fp_control.load(std::memory_order_relaxed);
  state.views = views;
  state.scope = scope;
  return state;
}

/// The strand of a coroutine that waits in join_in_place().
struct stopped_at_join : stopped_strand {
  task_promise* task;
};

}  // namespace

/// A thief runs this to go on with the task after a fork. The victim may still run the child, on
/// the old stack for children, so the children of the thief get a fresh one. When the child ends,
/// the victim uses only `counter_`, `thrown_` and the base stack: all else of the task may be
/// written here without synchronization.
void task_promise::run_stolen(continuation& c, worker& w) noexcept {
  auto& self = static_cast<task_promise&>(c);
  NOPAL_ASSERT((self.header().children & 1) == 0);  // it does not wait at a join
  task_stack* fresh = take_task_stack();
  // The state is read from the stack that the task's own frame lies on. The victim may free the
  // stack for children.
  const task_stack* base = self.header().base_stack();
  if (fresh != nullptr && base != nullptr) fresh->outside = base->outside;
  self.counter_.count_steal();
  if (fresh != nullptr) fresh->segment = self.counter_.steals();
  self.header().children = as_word(fresh);
  self.run_on(w, nullptr, nullptr);  // in the scope that the deque has noted
}

void task_promise::run_on(worker& w, strand_views* views, stop_scope* scope) noexcept {
  start_strand(w, {go_on, this, state_on(w, header(), views, scope)});
}

void task_promise::run_on(worker& w, strand_views* views, stop_scope* scope,
                          task_step& first) noexcept {
  start_strand(w, {go_on_after, &first, state_on(w, header(), views, scope)});
}

void* task_promise::allocate_slowly(task_stack* on, std::size_t bytes) noexcept try {
  if (on == nullptr) return new (::operator new(bytes)) frame_header{1, 1} + 1;
  nopal_words_of_strand.guess = on;
  void* p = on->push(bytes);
  const std::uintptr_t begins = on->begins_stacklet(p) ? frame_header::begins_stacklet : 0;
  return new (p) frame_header{as_word(on) | begins, as_word(on)} + 1;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void task_promise::no_memory_for_frame() { throw std::bad_alloc(); }

void task_promise::nothing_to_run() {
  throw std::logic_error(
      "nopal: a nopal::task that has been moved from is awaited or waited for; there is nothing to "
      "run. A task runs once: make another one");
}

void task_promise::note_current(void* frame) noexcept {
  task_promise& self = promise_in(frame);
  self.thrown_.note(std::current_exception(), self.counter_.steals());
  self.counter_.set(child_has_thrown);
}

/// Adopts this child, whose frame begins a stacklet, or lies on the heap. A frame lies on the heap
/// if it was made before the call, or if there was no memory on the stack.
void task_promise::adopt(std::uintptr_t stack) noexcept {
  if (header().base == (stack | frame_header::begins_stacklet)) {
    counter_.set(frame_begins_stacklet);
    return;
  }
  leave_word_of_strand(nullptr);
  if (!header().on_heap())
    misuse(
        "a function that was forked or called has returned a task that another call of it or of "
        "another function "
        "has made; return the task that the function itself has made last");
  header().base = stack | 1;
  header().children = stack;
  if (stack == 0) thrown_.begin(parent().counter_.state());
  counter_.set(frame_on_heap);
}

void task_promise::array_is_not_the_last() noexcept {
  misuse("an array from nopal::allocate has ended before one that its task allocated later");
}

/// Gives up the stack for children, if this worker has taken it after a steal. Writes `instead` in
/// its place.
void task_promise::give_up_stack(std::uintptr_t instead) noexcept {
  frame_header& h = header();
  auto* own = reinterpret_cast<task_stack*>(std::exchange(h.children, instead));
  if (own != h.base_stack()) spare_task_stack(own);
}

/// Announces an arrival. Returns whether it was the last one.
bool task_promise::arrives(std::int64_t counts) noexcept {
  emit<strand_events::arriving>();
  const bool last = counter_.arrives(counts);
  emit<strand_events::arrived>(last);
  return last;
}

// arrive() leaves the views and gives up the stack for children before the announcement: afterwards
// somebody else may run the coroutine.
left_to_base task_promise::arrive() noexcept {
  const std::uint64_t steals = counter_.steals();
  if (steals == 0) return as_left();
  NOPAL_ASSERT(this_worker()->deque.empty());  // this was stolen, and so was all that is older
  thrown_.leave_views(steals);
  give_up_stack(as_word(header().base_stack()));
  return arrives(static_cast<std::int64_t>(steals)) ? all_have_arrived() : chain_ends;
}

/// Announces the arrival of a stolen child, which has ended on the calling worker. Its frame lay on
/// `base` and is gone.
left_to_base task_promise::child_has_arrived(task_stack* base) noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // this was stolen, and so was all that is older
  thrown_.leave_views(base == header().base_stack() || base == nullptr ? 0 : base->segment);
  if (base != header().base_stack())
    spare_task_stack(base);
  else if (base != nullptr)
    base->left_by = this_worker();
  return arrives(-1) ? all_have_arrived() : chain_ends;
}

/// Goes on after the last arrival, on the worker that has made it: the word is 0, as before the
/// first steal.
left_to_base task_promise::all_have_arrived() noexcept {
  NOPAL_ASSERT(counter_.all_have_arrived());
  frame_header& h = header();
  if ((h.children & 1) != 0) {
    return std::exchange(h.children, as_word(h.base_stack())) - 1;
  }
  task_stack* base = h.base_stack();
  NOPAL_ASSERT(base == nullptr || base->left_by != nullptr);  // the child stolen first has set it
  run_by(run_at_home);
  if (base != nullptr && sent_home(*base->left_by, *this)) return chain_ends;
  set_views_of_strand(thrown_.take_views());
  merge_linked_views();
  return next_to_run();
}

/// Goes on with the task after a join, on the worker to which all_have_arrived() has sent it.
void task_promise::run_at_home(continuation& c, worker& w) noexcept {
  auto& self = static_cast<task_promise&>(c);
  const task_stack* base = self.header().base_stack();
  NOPAL_ASSERT(base != nullptr);  // it tells the worker that this was sent to
  self.run_on(w, self.thrown_.take_views(), base->outside.scope);
}

left_to_base task_promise::next_to_run() noexcept {
  return handle().done() ? end_joined() : as_left();
}

void task_promise::rethrow_first(void* frame) {
  std::rethrow_exception(promise_in(frame).thrown_.take_first());
}

/// Announces the arrival of a coroutine whose strand has stopped in join_in_place().
suspension* task_promise::announce_stopped(void* argument) noexcept {
  auto& s = *static_cast<stopped_at_join*>(argument);
  task_promise& self = *s.task;
  if (!self.counter_.arrives(static_cast<std::int64_t>(self.counter_.steals()))) return nullptr;
  self.header().children = as_word(self.header().base_stack());
  return &s.self;
}

void task_promise::join_in_place() noexcept {
  if (!counter_.stolen_from()) return;
  stopped_at_join s{{{}, [](stopped_strand& stopped) noexcept { return &stopped.self; }}, this};
  give_up_stack(as_word(&s) | 1);
  suspend_strand(s.self, {announce_stopped, &s, &s.self.saved});
  set_views_of_strand(linked(thrown_.take_views(), views_of_strand()));
  merge_linked_views();
  counter_.forget_steals();
  // Steals are counted from 0 again, so what they have ordered is put before all that follows, as
  // one exception.
  if (std::exception_ptr e = thrown_.take_first()) {
    thrown_.note(std::move(e), 0);
    counter_.set(child_has_thrown);
  }
}

NOPAL_NOINLINE void task_promise::join_after_throw(void* frame) noexcept {
  leave_word_of_strand(nullptr);
  note_current(frame);
  task_promise& self = promise_in(frame);
  self.join_in_place();
  self.counter_.clear();
}

left_to_base task_promise::end() noexcept {
  return counter_.stolen_from() ? arrive() : end_joined();
}

/// Returns the number of steals that this had counted before it forked `child`, which has ended.
/// Nobody has written the number to the child, but the base of the child tells it (S2, S3).
std::uint64_t task_promise::steals_before(task_promise& child) noexcept {
  const task_stack* base = child.header().base_stack();
  if (base == nullptr) return child.thrown_.number() / counter::one_steal;
  return base == header().base_stack() ? 0 : base->segment;
}

/// Ends the coroutine, which has no child left.
left_to_base task_promise::end_joined() noexcept {
  NOPAL_ASSERT(counter_.all_have_arrived());
  std::exception_ptr e = thrown_.take_first();
  if (counter_.has(outermost)) {
    auto* strand = reinterpret_cast<outermost_task*>(link_);
    strand->exception = std::move(e);
    strand->views = take_views_of_strand();
    return as_word(static_cast<stopped_strand*>(strand));
  }
  task_promise& p = parent();
  const bool called = was_called();
  const bool pushed = !called && !counter_.has(not_pushed);
  const bool threw = e != nullptr;
  task_stack* base = header().base_stack();
  if (threw) p.thrown_.note(std::move(e), p.steals_before(*this));
  handle().destroy();
  if (called) return p.after_call(threw);
  if (pushed && !take_back_newest()) return p.child_has_arrived(base);
  if (threw) p.counter_.set(child_has_thrown);
  return p.as_left();
}

/// A call that has thrown goes on behind the join: the exception ends the scope that the children
/// may use.
left_to_base task_promise::after_call(bool threw) noexcept {
  if (!threw) return as_left();
  counter_.set(call_has_thrown);
  return arrive();
}

/// Announces that the task has ended. Returns the strand that waits for it in run(), if that has
/// stopped. announce_end() calls this as `tasks_ended`.
suspension* outermost_task::task_has_ended(stopped_strand& s) noexcept {
  auto& self = static_cast<outermost_task&>(s);
  return self.word_.add(1) == 2 ? &self.self
                                : nullptr;  // not the last: from here on this may be gone
}

namespace {

/// What the strand that stops in run() leaves to its worker.
struct stopping {
  outermost_task* task;
  /// The strand of a task within, which the chain of coroutines that ended here has left to be
  /// taken up.
  stopped_strand* other;
};

}  // namespace

/// Announces that the strand in run() has stopped. Returns it, if the task has ended already.
suspension* outermost_task::strand_has_stopped(void* argument) noexcept {
  const stopping s = *static_cast<stopping*>(argument);
  if (s.task->word_.add(1) == 2) return &s.task->self;
  return announce_end(s.other);
}

void outermost_task::run(task_promise& task) noexcept {
  // A function that is about to make a task has left a word, and waits for another task before.
  leave_word_of_strand(nullptr);
  frame_header& h = task.header();
  task_stack* own = nullptr;
  if (h.on_heap()) {
    own = take_task_stack();
    if (own != nullptr) {
      own->outside.note_stop(this_worker()->exceptions);
    }
    h.base = as_word(own) | 1;
    h.children = as_word(own);
  }
  stopping s{this, run_chain(task.as_left())};
  if (s.other != this) suspend_strand(self, {strand_has_stopped, &s, &self.saved});
  set_views_of_strand(views);
  spare_task_stack(own);
}

}  // namespace nopal::detail
