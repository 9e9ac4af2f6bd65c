// SPDX-License-Identifier: Apache-2.0
// This is a fork_frame that steals children, to be compared with the one that steals continuations
// (Schmaus 2015, sections 5.3.4 and 5.6). docs/fork.md says how the two differ.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/fork/events.hpp"
#include "nopal/detail/platform/config.hpp"
#include "variants/fork/queued_children.hpp"

/// Tests of both ask for this.
#define NOPAL_FORK_CHILD 1

/// Marks a function as the other fork_frame does, so that compilers make the same of both
/// functions.
#define NOPAL_FORKS __attribute__((noinline))

namespace nopal {
namespace detail {

/// A call of f with args, which are copied or moved here. R is void if the result is not wanted.
template <class R, class F, class... A>
class queued_call final : public queued_child {
 public:
  template <class... Given>
  queued_call(queued_children& join, R* result, Given&&... given)
      : queued_child(call, join), result_(result), parts_(std::forward<Given>(given)...) {}

 private:
  static void call(queued_child& c) {
    const std::unique_ptr<queued_call> self(static_cast<queued_call*>(&c));
    const auto invoke = [](auto&&... part) -> decltype(auto) {
      return std::invoke(std::forward<decltype(part)>(part)...);
    };
    if constexpr (std::is_void_v<R>)
      static_cast<void>(std::apply(invoke, std::move(self->parts_)));
    else
      *self->result_ = std::apply(invoke, std::move(self->parts_));
  }

  R* result_;
  std::tuple<F, A...> parts_;
};

}  // namespace detail

inline namespace child_stealing {

class fork_frame {
 public:
  fork_frame() noexcept = default;
  ~fork_frame() noexcept(false) { children_.end(); }
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  /// Queues f(args...) for whoever is free, and goes on. The next join() returns when it has ended.
  /// \throws std::bad_alloc if there is no memory for the queued call.
  template <class R, class F, class... A>
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...> &&
             std::is_assignable_v<R&, std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>
  void fork(R* result, F&& f, A&&... args) {
    queue(result, std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class F, class... A>
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>
  void fork(F&& f, A&&... args) {
    queue<void>(nullptr, std::forward<F>(f), std::forward<A>(args)...);
  }

  /// Runs what nobody has stolen, the newest first, and waits for the rest.
  void join() { children_.join(); }

 private:
  template <class R, class F, class... A>
  void queue(R* result, F&& f, A&&... args) {
    using call = detail::queued_call<R, std::decay_t<F>, std::decay_t<A>...>;
    children_.enter();
    children_.queue(*new call(children_, result, std::forward<F>(f), std::forward<A>(args)...));
  }

  NOPAL_EMIT_FORKING
  detail::queued_children children_;
};

}  // namespace child_stealing
}  // namespace nopal
