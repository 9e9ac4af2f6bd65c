// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "integrate.hpp"

namespace nopal_bench {
namespace {

double integrate_invoke(double x1, double y1, double x2, double y2, double area) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    return cut.left + cut.right;
  }
  double left = 0;
  double right = 0;
  nopal::parallel_invoke([&] { left = integrate_invoke(x1, y1, cut.x0, cut.y0, cut.left); },
                         [&] { right = integrate_invoke(cut.x0, cut.y0, x2, y2, cut.right); });
  return left + right;
}

NOPAL_FORKS double integrate_frame(double x1, double y1, double x2, double y2, double area) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    return cut.left + cut.right;
  }
  nopal::fork_frame frame;
  double left;
  frame.fork(&left, integrate_frame, x1, y1, cut.x0, cut.y0, cut.left);
  const double right = integrate_frame(cut.x0, cut.y0, x2, y2, cut.right);
  frame.join();
  return left + right;
}

[[maybe_unused]] const bool enrolled =
    enroll<integrate_problem, nopal_session>(
        "invoke",
        [](auto& session, auto& p) {
          p.result = session.run(integrate_invoke, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
        }) &&
    enroll<integrate_problem, nopal_session>("frame", [](auto& session, auto& p) {
      p.result = session.run(integrate_frame, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
    });

}  // namespace
}  // namespace nopal_bench
