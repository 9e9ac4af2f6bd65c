// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "heat.hpp"

namespace nopal_bench {
namespace {

nopal::task<> diffuse_task(heat_step s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await nopal::fork(diffuse_task, s, first, middle);
  co_await nopal::call(diffuse_task, s, middle, last);
  co_await nopal::join();
}

nopal::task<> heat_task(heat_problem* p) {
  for (std::size_t i = 0; i < p->steps; ++i) {
    co_await nopal::call(diffuse_task, p->step(i), 1U, p->n - 1);
    // By this each worker has the same rows in the next step (docs/reference.md).
    co_await nopal::resume_on(0);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(heat_task, &p);
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
