// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nopal/mapped.hpp>
#include <nopal/nopal.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/sessions/nopal_setup.hpp"
#include "harness/statistics_text.hpp"
#ifdef NOPAL_BENCH_SPACE
#include <unistd.h>

#include "harness/memory_pages.hpp"
#include "harness/sessions/fork_depth.hpp"
#include "runtime/most_stack_pages.hpp"
#endif

namespace nopal_bench {

/// A runtime whose workers are processes. If NOPAL_BENCH_SPACE is defined, it counts the most pages
/// of all stacks, what other memory there is at the end, and how deep forks are nested; it is not
/// for measuring time then.
///
/// The memory and the time on a CPU that the record gives are those of the main process, which
/// waits.
class mapped_session {
 public:
  static constexpr bool parallel = true;
  static description peer() {
    description d = nopal_peer();
    d.emplace_back("stacks", "mapped");
    return d;
  }

  mapped_session(unsigned workers, std::size_t stack_bytes)
      : options_(nopal_options(workers, stack_bytes)), runtime_(options_) {
#ifdef NOPAL_BENCH_SPACE
    pages_.count_by([](const void* r) { return static_cast<const runtime*>(r)->stacks().pages; },
                    &runtime_);
#endif
  }
#ifdef NOPAL_BENCH_SPACE
  ~mapped_session() { pages_.count_by(nullptr, nullptr); }
#endif
  mapped_session(const mapped_session&) = delete;
  mapped_session& operator=(const mapped_session&) = delete;

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return runtime_.run(std::forward<F>(f), std::forward<A>(args)...);
  }

  [[nodiscard]] std::string figures() const {
    const nopal::mapped::stack_statistics s = runtime_.stacks();
    std::vector<std::pair<std::string_view, std::size_t>> more{{"segments", s.segments},
                                                               {"segments_mapped", s.mapped}};
#ifdef NOPAL_BENCH_SPACE
    more.emplace_back("stack_pages", pages_.most());
    more.emplace_back("heap_pages", heap_pages());
    more.emplace_back("fork_depth", options_.workers == 1 ? fork_depth::most() : 0);
#endif
    return statistics_text(runtime_.stats(), options_, more);
  }

 private:
  using runtime = nopal::mapped::runtime;

#ifdef NOPAL_BENCH_SPACE
  /// The memory of all processes without the stacks, which are pages of a file of this name.
  [[nodiscard]] std::size_t heap_pages() const {
    constexpr std::string_view stacks = "/memfd:nopal-stacks";
    std::size_t pages = memory_pages(getpid(), stacks);
    for (unsigned w = 0; w < runtime_.workers(); ++w)
      pages += memory_pages(runtime_.process(w), stacks);
    return pages;
  }
#endif

  nopal::options options_;
#ifdef NOPAL_BENCH_SPACE
  nopal::detail::most_stack_pages pages_;
  fork_depth depth_{options_.workers == 1};
#endif
  runtime runtime_;
};

using nopal_session = mapped_session;

}  // namespace nopal_bench
