// SPDX-License-Identifier: Apache-2.0
// This is a function that runtime::spawn_detached() has spawned.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "nopal/detail/async/kept_call.hpp"
#include "nopal/detail/async/spawned_function.hpp"

namespace nopal::detail {

/// Counts `f` as work in flight of `s`, and has a worker of `s` run it.
/// \throws std::logic_error in a child of fork(2); `f` is not freed then.
void start_detached(scheduler& s, spawned_function& f);
/// \throws std::logic_error in a child of fork(2).
void require_workers_of(const scheduler& s);
/// Counts the function as ended.
void detached_ended(scheduler& s) noexcept;
[[noreturn]] void detached_has_thrown() noexcept;

template <class F>
class detached_call final : public spawned_function {
 public:
  detached_call(scheduler& s, F&& f)
      : spawned_function(call, nullptr), runs_on_(&s), f_(std::move(f)) {}

 private:
  /// Calls the function, as the whole of a strand, and frees this.
  static void call(spawned_function& base) noexcept {
    auto& self = static_cast<detached_call&>(base);
    scheduler& s = *self.runs_on_;
    std::stop_source never_requested{std::nostopstate};
    try {
      static_cast<void>(self.f_(never_requested));
    } catch (...) {
      detached_has_thrown();
    }
    delete &self;
    detached_ended(s);
  }

  scheduler* runs_on_;
  [[no_unique_address]] F f_;
};

/// Has a worker of `s` run f(args...). Called after check_kept_call().
template <class F, class... A>
void spawn_detached(scheduler& s, F&& f, A&&... args) {
  auto call = keep_call(std::forward<F>(f), std::forward<A>(args)...);
  auto d = std::make_unique<detached_call<decltype(call)>>(s, std::move(call));
  start_detached(s, *d);
  static_cast<void>(d.release());  // it frees itself
}

/// Has workers of `s` run the calls that make(0) to make(n - 1) return, or none if one of them
/// cannot be made.
template <class Make>
void spawn_team(scheduler& s, unsigned n, const Make& make) {
  using call = detached_call<decltype(make(0U))>;
  require_workers_of(s);
  std::vector<std::unique_ptr<call>> team;
  team.reserve(n);
  for (unsigned i = 0; i < n; ++i) team.push_back(std::make_unique<call>(s, make(i)));
  for (std::unique_ptr<call>& d : team) {
    start_detached(s, *d);
    static_cast<void>(d.release());  // it frees itself
  }
}

}  // namespace nopal::detail
