// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

constexpr auto child = [](auto, std::uint64_t* numbers, std::uint64_t i)
                           LF_STATIC_CALL -> lf::task<void> {
  irregular_child(numbers, i);
  co_return;
};

constexpr auto loop = [](auto, std::uint64_t* numbers, std::uint64_t n)
                          LF_STATIC_CALL -> lf::task<void> {
  for (std::uint64_t i = 0; i < n; ++i) {
    co_await lf::fork(child)(numbers, i);
  }
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, irregular_loop_problem& p) {
  run_irregular_loop(session, p, loop);
};

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, libfork_lazy>("lazy", kernel) &&
    enroll<irregular_loop_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
