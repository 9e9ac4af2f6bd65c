// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "integrate.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED double integrate(double x1, double y1, double x2, double y2, double area) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    return cut.left + cut.right;
  }
  const double left = integrate(x1, y1, cut.x0, cut.y0, cut.left);
  const double right = integrate(cut.x0, cut.y0, x2, y2, cut.right);
  return left + right;
}

[[maybe_unused]] const bool enrolled =
    enroll<integrate_problem, serial_session>("", [](auto& session, auto& p) {
      p.result = session.run(integrate, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
    });

}  // namespace
}  // namespace nopal_bench
