// SPDX-License-Identifier: Apache-2.0
// Forks of C. docs/c.md says why a child is what a thief takes here, and not the rest of the
// function that forks.
#include "nopal/c/fork.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "c/error.hpp"
#include "nopal/detail/cilk/loop.hpp"
#include "nopal/detail/join/two_way_join.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stop.hpp"

namespace nopal::detail {
namespace {

/// What a thief finds of a child. The join is that of parallel_invoke(), whose first closure is
/// here what the function does between nopal_fork() and nopal_join().
class c_child final : public two_way_join_base {
 public:
  c_child(nopal_function f, void* argument, worker* w) noexcept
      : two_way_join_base(run_stolen, run_with_exceptions, w), function_(f), argument_(argument) {}

 private:
  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<c_child&>(c).start(w, strand);
  }
  static void run_with_exceptions(continuation& c, worker& w) noexcept {
    static_cast<c_child&>(c).start_with_exceptions(w, strand);
  }
  static void strand(void* argument) {
    auto& self = *static_cast<c_child*>(argument);
    const auto call = [&self] { self.function_(self.argument_); };
    self.run_and_arrive(call);
  }

  nopal_function function_;
  void* argument_;
};

/// What lies in a nopal_join_t.
struct c_join {
  static constexpr std::uint64_t is_forked = 0x6e6f70616c666f72;
  /// The position of a child that was forked on a thread that is no worker.
  static constexpr std::int64_t outside = INT64_MIN;

  std::uint64_t state;
  std::int64_t position;  ///< In the deque; negative if that was full.
  nopal_function function;
  void* argument;
  alignas(c_child) std::byte child[sizeof(c_child)];
};
static_assert(sizeof(c_join) <= sizeof(nopal_join_t) && alignof(c_join) <= alignof(nopal_join_t),
              "nopal_join_t is too small");
static_assert(std::is_trivially_destructible_v<c_child>);

c_join& c_join_in(nopal_join_t* j) noexcept { return *reinterpret_cast<c_join*>(j); }

/// Whether something that was pushed after `j` has not been joined. If the strand has left its
/// worker since, everything that it had pushed was taken, and the deque that it finds is empty.
bool is_not_newest(const c_join& j, worker& w) noexcept {
  return j.position >= 0 && w.deque.newest() != j.position && !w.deque.empty();
}

void invoke_range(const nopal_ilet* all, std::size_t n) {
  if (n == 0) return;
  if (n == 1) return all->function(all->argument);
  const std::size_t half = n / 2;
  parallel_invoke([=] { invoke_range(all, half); }, [=] { invoke_range(all + half, n - half); });
}

struct c_loop {
  nopal_loop_body body;
  void* argument;
  std::int64_t first;
};

/// Runs the turns [begin, end) of a loop, counted from its first.
void run_turns(void* loop, std::uint64_t begin, std::uint64_t end) {
  check_stop();
  const auto& l = *static_cast<const c_loop*>(loop);
  // Sums wrap as those of unsigned numbers do, so that a loop may have more than 2^63 turns.
  const auto turn = [&](std::uint64_t n) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(l.first) + n);
  };
  l.body(l.argument, turn(begin), turn(end));
}

/// Calls f() on a worker.
template <class F>
int c_call_on_worker(F&& f) noexcept {
  return c_call_through([](auto&& call) { nopal::run(call); }, f);
}

}  // namespace
}  // namespace nopal::detail

using namespace nopal::detail;

int nopal_invoke(nopal_function f, void* a, nopal_function g, void* b) {
  if (f == nullptr || g == nullptr) [[unlikely]]
    return c_argument("nopal_invoke", "a function is NULL");
  if (this_worker() == nullptr) [[unlikely]]
    return c_call_on_worker([=] { nopal::parallel_invoke([=] { f(a); }, [=] { g(b); }); });
  try {
    nopal::parallel_invoke([=] { f(a); }, [=] { g(b); });
    return 0;
  } catch (...) {
    return c_program_threw();
  }
}

int nopal_invoke_all(const nopal_ilet* all, size_t n) {
  if (n != 0 && all == nullptr) return c_argument("nopal_invoke_all", "the i-lets are NULL");
  for (std::size_t i = 0; i < n; ++i)
    if (all[i].function == nullptr) return c_argument("nopal_invoke_all", "a function is NULL");
  return c_call_on_worker([=] { invoke_range(all, n); });
}

int nopal_fork(nopal_join_t* j, nopal_function f, void* argument) {
  if (j == nullptr || f == nullptr) [[unlikely]]
    return c_argument("nopal_fork", "the join or the function is NULL");
  c_join& c = c_join_in(j);
#ifdef NOPAL_CHECK
  // Another build does not read what may not have been written: valgrind would say so.
  if (c.state == c_join::is_forked)
    return c_argument("nopal_fork", "the join has a child that has not been joined");
#endif
  c.state = c_join::is_forked;
  c.function = f;
  c.argument = argument;
  c.position = c_join::outside;
  worker* const w = this_worker();
  if (w == nullptr) [[unlikely]]
    return 0;
  auto* const child = ::new (static_cast<void*>(c.child)) c_child(f, argument, w);
  c.position = child->push(w);
  return 0;
}

int nopal_join(nopal_join_t* j) {
  if (j == nullptr) [[unlikely]]
    return c_argument("nopal_join", "the join is NULL");
  c_join& c = c_join_in(j);
  if (c.state != c_join::is_forked) [[unlikely]]
    return c_argument("nopal_join", "nothing is forked there; call nopal_fork() first");
  if (c.position != c_join::outside) {
    worker* const w = this_worker();
    if (w == nullptr || is_not_newest(c, *w)) [[unlikely]]
      return c_argument("nopal_join",
                        "another child, which was forked later, is to be joined first; or the "
                        "child was forked by another strand");
  }
  c.state = 0;
  try {
    if (c.position == c_join::outside || take_back(c.position) ||
        std::launder(reinterpret_cast<c_child*>(c.child))->was_not_pushed_or_wait())
      c.function(c.argument);
    return 0;
  } catch (...) {
    return c_program_threw();
  }
}

int nopal_for(int64_t first, int64_t last, int64_t grain, nopal_loop_body f, void* argument) {
  if (f == nullptr) return c_argument("nopal_for", "the function is NULL");
  if (grain < 0) return c_argument("nopal_for", "the grain is negative; 0 lets nopal choose");
  if (last <= first) return 0;
  c_loop loop{f, argument, first};
  const std::uint64_t turns = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  return c_call_on_worker(
      [&] { nopal_cilk_for(run_turns, &loop, turns, static_cast<std::uint64_t>(grain)); });
}
