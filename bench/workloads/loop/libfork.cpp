// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "loop.hpp"

namespace nopal_bench {
namespace {

constexpr auto child = [](auto, std::atomic<std::uint64_t>* total, std::uint64_t i)
                           LF_STATIC_CALL -> lf::task<void> {
  loop_child(total, i);
  co_return;
};

constexpr auto loop = [](auto, std::atomic<std::uint64_t>* total, std::uint64_t n)
                          LF_STATIC_CALL -> lf::task<void> {
  for (std::uint64_t i = 0; i < n; ++i) {
    co_await lf::fork(child)(total, i);
  }
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, loop_problem& p) { run_loop(session, p, loop); };

[[maybe_unused]] const bool enrolled = enroll<loop_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<loop_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
