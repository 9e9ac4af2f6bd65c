// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "integrate.hpp"

namespace nopal_bench {
namespace {

constexpr auto integrate = [](auto integrate, double x1, double y1, double x2, double y2,
                              double area) LF_STATIC_CALL -> lf::task<double> {
  const bisection cut(x1, y1, x2, y2);
  if (cut.agrees(area)) {
    co_return cut.left + cut.right;
  }
  double left = 0;
  double right = 0;
  co_await lf::fork(&left, integrate)(x1, y1, cut.x0, cut.y0, cut.left);
  co_await lf::call(&right, integrate)(cut.x0, cut.y0, x2, y2, cut.right);
  co_await lf::join;
  co_return left + right;
};

constexpr auto kernel = [](auto& session, integrate_problem& p) {
  p.result = session.run(integrate, 0.0, integrand(0), p.n, integrand(p.n), 0.0);
};

[[maybe_unused]] const bool enrolled = enroll<integrate_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<integrate_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
