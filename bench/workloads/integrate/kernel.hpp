// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "integrate.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(double, integrate, (double x1, double y1, double x2, double y2, double area)) {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    BENCH_RETURN cut.left + cut.right;
  }
  double left = 0;
  double right = 0;
  BENCH_FORK_TWO_TO(left, integrate, (x1, y1, cut.x0, cut.y0, cut.left), right, integrate,
                    (cut.x0, cut.y0, x2, y2, cut.right));
  BENCH_RETURN left + right;
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<integrate_problem, widest::two>([](auto& session, auto& p) {
      p.result = session.run(integrate, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
    });

}  // namespace
}  // namespace nopal_bench
