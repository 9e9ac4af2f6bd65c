// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <nopal/nopal.hpp>
#include <string>
#include <utility>

#include "harness/program.hpp"
#ifndef NOPAL_SERIAL
#include "harness/statistics_text.hpp"
#endif

#ifndef NOPAL_BENCH_VERSION
#define NOPAL_BENCH_VERSION ""
#endif
#ifndef NOPAL_BENCH_DEQUE
#define NOPAL_BENCH_DEQUE "default"
#endif
#ifndef NOPAL_BENCH_JOIN
#define NOPAL_BENCH_JOIN "default"
#endif

namespace nopal_bench {

/// A runtime of nopal, set up from the environment (NOPAL_IDLE, NOPAL_RECLAIM, …), its workers from the command line,
/// its task stacks no smaller than the problem needs them. Built with NOPAL_SERIAL it is the serial elision of the same
/// programs.
class nopal_session {
 public:
#ifdef NOPAL_SERIAL
  static constexpr bool parallel = false;
#else
  static constexpr bool parallel = true;
#endif
  static description peer() {
    return {{"name", "nopal"}, {"version", NOPAL_BENCH_VERSION}, {"deque", NOPAL_BENCH_DEQUE}, {"join", NOPAL_BENCH_JOIN}};
  }

  /// Options from the environment, but for the workers and for stacks that would be too small.
  static nopal::options make_options(unsigned workers, std::size_t stack_bytes = 0) {
#ifdef NOPAL_SERIAL
    nopal::options o;
#else
    auto o = nopal::options::from_environment();
#endif
    o.workers = workers;
    o.stack_bytes = std::max(o.stack_bytes, stack_bytes);
    return o;
  }

  nopal_session(unsigned workers, std::size_t stack_bytes)
      : options_(make_options(workers, stack_bytes)), runtime_(options_) {}

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return runtime_.run(std::forward<F>(f), std::forward<A>(args)...);
  }

  /// The elision has no scheduler to tell of, and its statistics are another type than the harness was compiled for.
  [[nodiscard]] std::string figures() const {
#ifdef NOPAL_SERIAL
    return {};
#else
    return statistics_text(runtime_.stats(), options_);
#endif
  }

 private:
  nopal::options options_;
  nopal::runtime runtime_;
};

}  // namespace nopal_bench
