// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <libfork.hpp>
#include <string>
#include <utility>

#include "harness/program.hpp"

namespace nopal_bench {

/// A pool of libfork, lazy or busy. Its stacks grow as they must.
template <class Pool>
class libfork_session {
 public:
  static constexpr bool parallel = true;
  static description peer() {
    return {{"name", "libfork"},
            {"version", std::to_string(LF_VERSION_MAJOR) + '.' + std::to_string(LF_VERSION_MINOR) +
                            '.' + std::to_string(LF_VERSION_PATCH)}};
  }

  libfork_session(unsigned workers, std::size_t) : pool_(static_cast<std::size_t>(workers)) {}

  template <class F, class... A>
  decltype(auto) run(F f, A&&... args) {
    return lf::sync_wait(pool_, f, std::forward<A>(args)...);
  }
  [[nodiscard]] static std::string figures() { return {}; }

 private:
  Pool pool_;
};

using libfork_lazy = libfork_session<lf::lazy_pool>;
using libfork_busy = libfork_session<lf::busy_pool>;

}  // namespace nopal_bench
