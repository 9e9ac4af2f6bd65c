// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(NOPAL_BENCH_MAPPED)
#include "harness/sessions/mapped.hpp"
#elif defined(NOPAL_BENCH_SPACE)
#include "harness/sessions/space.hpp"
#elif defined(NOPAL_FORK_WAITS)
#include "harness/sessions/stacks.hpp"
#else

#include <cstddef>
#include <nopal/nopal.hpp>
#include <string>
#include <utility>

#include "harness/sessions/nopal_setup.hpp"
#ifndef NOPAL_SERIAL
#include "harness/statistics_text.hpp"
#endif

namespace nopal_bench {

/// A runtime of nopal, with as many workers as the command line says, and strands' stacks no
/// smaller than the problem needs. If NOPAL_SERIAL is defined, it is the serial elision of the same
/// programs.
class nopal_session {
 public:
#ifdef NOPAL_SERIAL
  static constexpr bool parallel = false;
#else
  static constexpr bool parallel = true;
#endif
  static description peer() { return nopal_peer(); }

  nopal_session(unsigned workers, std::size_t stack_bytes)
      : options_(nopal_options(workers, stack_bytes)), runtime_(options_) {}

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return runtime_.run(std::forward<F>(f), std::forward<A>(args)...);
  }

  /// The elision has no scheduler to report on, and its statistics have another type than that for
  /// which the harness was compiled.
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

#endif
