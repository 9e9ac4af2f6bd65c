// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nopal/nopal.hpp>
#include <string>
#include <utility>

#include "harness/memory_pages.hpp"
#include "harness/program.hpp"
#include "harness/sessions/fork_depth.hpp"
#include "harness/sessions/nopal_setup.hpp"
#include "harness/statistics_text.hpp"
#include "runtime/most_stack_pages.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal_bench {

/// A session of nopal that counts the most pages that all stacks have in the kernel, those in use,
/// spare and pooled, and what other memory there is at the end. It is not for measuring time.
class space_session {
 public:
  static constexpr bool parallel = true;
  static description peer() { return nopal_peer(); }

  space_session(unsigned workers, std::size_t stack_bytes)
      : options_(options_of(workers, stack_bytes)), scheduler_(options_), depth_(workers == 1) {
    pages_.count_of(&scheduler_);
  }
  ~space_session() { pages_.count_of(nullptr); }
  space_session(const space_session&) = delete;
  space_session& operator=(const space_session&) = delete;

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return nopal::detail::run_through(
        [this](void (*call)(void*), void* argument) {
          nopal::detail::run_on_or_here(scheduler_, call, argument);
        },
        std::forward<F>(f), std::forward<A>(args)...);
  }

  [[nodiscard]] std::string figures() const {
    return statistics_text(scheduler_.stats(), options_,
                           {{"stack_pages", pages_.most()},
                            {"heap_pages", heap_pages()},
                            {"fork_depth", options_.workers == 1 ? fork_depth::most() : 0}});
  }

 private:
  /// The stack of a thread that takes part would not be counted.
  static nopal::options options_of(unsigned workers, std::size_t stack_bytes) {
    nopal::options o = nopal_options(workers, stack_bytes);
    o.caller_works = false;
    return o;
  }

  /// The memory of the process without the stacks. Workers that fall asleep give pages of stacks
  /// back, so the loop repeats until their number stays the same.
  [[nodiscard]] std::size_t heap_pages() const {
    for (std::size_t stacks = scheduler_.resident_stack_pages();;) {
      const std::size_t pages = memory_pages();
      const std::size_t now = scheduler_.resident_stack_pages();
      if (now == stacks) return pages - stacks;
      stacks = now;
    }
  }

  nopal::options options_;
  nopal::detail::most_stack_pages pages_;
  nopal::detail::owned_scheduler scheduler_;
  fork_depth depth_;
};

using nopal_session = space_session;

}  // namespace nopal_bench
