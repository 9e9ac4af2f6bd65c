// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "heat.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> diffuse(heat_step s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  auto above = co_await tmc::fork_clang(diffuse(s, first, middle));
  co_await diffuse(s, middle, last);
  co_await std::move(above);
}

tmc::task<void> heat_fork(heat_problem* p) {
  for (std::size_t i = 0; i < p->steps; ++i) {
    co_await diffuse(p->step(i), 1, p->n - 1);
  }
}

tmc::task<void> heat_many(heat_problem* p) {
  for (std::size_t i = 0; i < p->steps; ++i) {
    co_await tmc_for_blocks(
        1, p->n - 1, heat_cutoff,
        [s = p->step(i)](std::size_t first, std::size_t last) { diffuse_rows(s, first, last); });
  }
}

template <auto heat>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(heat, &p);
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, tmc_session>("fork", kernel<heat_fork>) &&
    enroll<heat_problem, tmc_session>("many", kernel<heat_many>);

}  // namespace
}  // namespace nopal_bench
