// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "integrate.hpp"

namespace nopal_bench {
namespace {

tmc::task<double> integrate(double x1, double y1, double x2, double y2, double area) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    co_return cut.left + cut.right;
  }
  auto forked = co_await tmc::fork_clang(integrate(x1, y1, cut.x0, cut.y0, cut.left));
  const double right = co_await integrate(cut.x0, cut.y0, x2, y2, cut.right);
  const double left = co_await std::move(forked);
  co_return left + right;
}

[[maybe_unused]] const bool enrolled =
    enroll<integrate_problem, tmc_session>("fork", [](auto& session, auto& p) {
      p.result = session.run(integrate, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
    });

}  // namespace
}  // namespace nopal_bench
