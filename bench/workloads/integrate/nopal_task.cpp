// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "integrate.hpp"

namespace nopal_bench {
namespace {

nopal::task<double> integrate_task(double x1, double y1, double x2, double y2, double area) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    co_return cut.left + cut.right;
  }
  double left;
  double right;
  co_await nopal::fork(&left, integrate_task, x1, y1, cut.x0, cut.y0, cut.left);
  co_await nopal::call(&right, integrate_task, cut.x0, cut.y0, x2, y2, cut.right);
  co_await nopal::join();
  co_return left + right;
}

[[maybe_unused]] const bool enrolled =
    enroll<integrate_problem, nopal_session>("task", [](auto& session, auto& p) {
      p.result = session.run(integrate_task, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
    });

}  // namespace
}  // namespace nopal_bench
