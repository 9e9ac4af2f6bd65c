// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/async/spawned_function.hpp"

#include "nopal/detail/async/near_call.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

/// The functions of one scope that have ended in a row and are not counted yet. While this holds
/// some, the row runs another function of the same scope. The scope's join waits for that function
/// as well, so nobody waits for longer. One signal for all of them costs as much as a signal for
/// one.
class spawned_function::ended {
 public:
  void count(scope* s) noexcept {
    scope_ = s;
    ++number_;
  }
  /// Signals, before the row goes on with a function of `next`, unless that is the same scope.
  void signal_unless_of(scope* next) noexcept {
    if (scope_ == next) return;
    signal(number_);
    number_ = 0;
  }
  /// Signals all except one, at the end of the row. Returns the scope, to which that one is still
  /// to be signalled.
  scope* signal_all_but_one() noexcept {
    signal(number_ - 1);
    return scope_;
  }

 private:
  void signal(std::int64_t n) noexcept {
    if (scope_ != nullptr && n > 0) scope_->ended(n);
  }

  scope* scope_ = nullptr;
  std::int64_t number_ = 0;
};

/// Returns the state that the function's strand begins with.
strand_state spawned_function::begin_with() const noexcept {
  scope* const s = counted_by();
  strand_state state{};
  state.fp = s != nullptr ? s->begin_with_ : this_strand_worker().scheduler_fp;
  state.scope = s != nullptr ? &s->stops : nullptr;
  return state;
}

/// Whether the caller is to run the function. It always is, except with a hinted_function.
bool spawned_function::comes_first() noexcept {
  return (scope_ & 1) == 0 || static_cast<hinted_function&>(*this).comes_first();
}

void spawned_function::start(worker& w) noexcept { start_strand(w, {row, this, begin_with()}); }

/// A worker that has found the function in a queue runs this, as its continuation.
void spawned_function::run_row(continuation& c, worker& w) noexcept {
  auto& self = static_cast<spawned_function&>(c);
  if (self.comes_first()) self.start(w);
}

/// The worker that was hinted at runs this, as the continuation in its inbox. It runs the function
/// unless another worker has come first.
void hinted_function::run_hinted(continuation& c, worker& w) noexcept {
  hinted_function& self = *static_cast<hint&>(c).function;
  if (self.comes_first()) self.start(w);
}

/// Returns the function that the row goes on with, or nullptr at its end.
spawned_function* spawned_function::next_in_row() noexcept {
  scheduler_worker& w = this_scheduler_worker();
  for (;;) {
    continuation* const c = w.belongs_to->next_in_row(w);
    if (c == nullptr) return nullptr;
    NOPAL_ASSERT(c->is_run_by(run_row));  // nothing else may be given to scheduler::spawn()
    auto* f = static_cast<spawned_function*>(c);
    if (f->comes_first()) return f;
  }
}

/// Runs `first`, and others that were spawned, one after the other. This is a whole strand.
void spawned_function::row(void* first) {
  ended so_far;
  for (auto* f = static_cast<spawned_function*>(first);;) {
    scope* const s = f->counted_by();
    f->call_(*f);
    if (s != nullptr)
      if (strand_views* v = take_views_of_strand()) s->views_.leave_unordered(v);
    so_far.count(s);
    f = next_in_row();
    if (f == nullptr) break;
    so_far.signal_unless_of(f->counted_by());
    begin_anew(f->begin_with());
  }
  // The last signal hands the worker to whoever joins, and so comes when the stack has been left.
  end_strand({announce_end, so_far.signal_all_but_one(), nullptr});
}

/// Counts the row's last function as ended, when its strand has left its stack.
suspension* spawned_function::announce_end(void* of) noexcept {
  if (of != nullptr) scope::last_ended(*static_cast<scope*>(of));
  return nullptr;
}

}  // namespace nopal::detail
