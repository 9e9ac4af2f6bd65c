// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <nopal/nopal.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/program.hpp"
#include "harness/sessions/made_machine.hpp"
#include "harness/sessions/nopal_setup.hpp"
#include "harness/statistics_text.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"
#include "variants/stacks/waiting_frame.hpp"
#ifdef NOPAL_EVENTS
#include "runtime/most_stack_pages.hpp"
#endif

namespace nopal_bench {

/// The names are in the order of nopal::stacks::rule.
inline constexpr std::array rule_names{"new_stack", "unrestricted", "deeper",
                                       "limited",   "leapfrog",     "recycle"};

/// The rule by which frames wait, from NOPAL_BENCH_RULE.
inline nopal::stacks::strategy strategy_from_environment() {
  const char* const name = std::getenv("NOPAL_BENCH_RULE");
  if (name == nullptr) return {};
  const auto found = std::find(rule_names.begin(), rule_names.end(), std::string_view(name));
  if (found == rule_names.end()) {
    std::string allowed;
    for (const char* const rule : rule_names) allowed += std::string(" ") + rule;
    throw std::invalid_argument("NOPAL_BENCH_RULE is '" + std::string(name) +
                                "'; allowed are:" + allowed);
  }
  return {.takes = static_cast<nopal::stacks::rule>(found - rule_names.begin())};
}

/// A session of nopal whose frames wait by a rule, on stacks that can hold several serial ones.
/// NOPAL_BENCH_STACKS limits the stacks to so many for each worker. If the session is built with
/// events, it counts the pages of stacks, and the steals within a package if the machine is made
/// up; it is not for measuring time then.
class stacks_session {
 public:
  static constexpr bool parallel = true;
  static description peer() { return nopal_peer(); }

  stacks_session(unsigned workers, std::size_t stack_bytes)
      : options_(nopal_options(workers, std::max(stack_bytes, large))),
#ifdef NOPAL_EVENTS
        within_(workers),
#endif
        scheduler_(options_, chosen_machine(workers)) {
    nopal::stacks::chosen = strategy_from_environment();
#ifdef NOPAL_EVENTS
    pages_.count_of(&scheduler_);
#endif
  }
#ifdef NOPAL_EVENTS
  ~stacks_session() { pages_.count_of(nullptr); }
#else
  ~stacks_session() = default;
#endif
  stacks_session(const stacks_session&) = delete;
  stacks_session& operator=(const stacks_session&) = delete;

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return nopal::detail::run_through(
        [this](void (*call)(void*), void* argument) {
          nopal::detail::run_on(scheduler_, call, argument);
        },
        std::forward<F>(f), std::forward<A>(args)...);
  }

  [[nodiscard]] std::string figures() const {
    std::vector<std::pair<std::string_view, std::size_t>> more;
#ifdef NOPAL_EVENTS
    more.emplace_back("stack_pages", pages_.most());
    if (const auto within = within_.count()) more.emplace_back("steals_within_package", *within);
#endif
    return statistics_text(scheduler_.stats(), options_, more);
  }

 private:
  static constexpr std::size_t large = std::size_t{64} << 20;

  static nopal::detail::machine chosen_machine(unsigned workers) {
    nopal::detail::machine m;
    m.synthetic_topology = made_machine(workers);
    if (const char* const each = std::getenv("NOPAL_BENCH_STACKS"))
      m.stack_limit = std::max(1UL, std::strtoul(each, nullptr, 10)) * workers;
    return m;
  }

  nopal::options options_;
#ifdef NOPAL_EVENTS
  nopal::detail::most_stack_pages pages_;
  steals_within_package within_;
#endif
  nopal::detail::owned_scheduler scheduler_;
};

using nopal_session = stacks_session;

}  // namespace nopal_bench
