// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "lu.hpp"

namespace nopal_bench {
namespace {

constexpr auto subtract_product = [](auto subtract_product, lu_product p)
                                      LF_STATIC_CALL -> lf::task<void> {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await lf::call(subtract_product)(p.first_half());
    co_await lf::call(subtract_product)(p.second_half());
    co_return;
  }
  co_await lf::fork(subtract_product)(p.first_half());
  co_await lf::call(subtract_product)(p.second_half());
  co_await lf::join;
};

// m = X, L·X = m.
constexpr auto solve_lower = [](auto solve_lower, lu_part l, lu_part m)
                                 LF_STATIC_CALL -> lf::task<void> {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    co_return;
  }
  if (m.cols >= l.cols) {
    co_await lf::fork(solve_lower)(l, m.left(m.cols / 2));
    co_await lf::call(solve_lower)(l, m.right(m.cols - m.cols / 2));
    co_await lf::join;
    co_return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  co_await lf::call(solve_lower)(q.m00, top);
  co_await lf::call(subtract_product)(lu_product_of(bottom, q.m10, top));
  co_await lf::call(solve_lower)(q.m11, bottom);
};

// m = X, X·U = m.
constexpr auto solve_upper = [](auto solve_upper, lu_part u, lu_part m)
                                 LF_STATIC_CALL -> lf::task<void> {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    co_return;
  }
  if (m.rows >= u.rows) {
    co_await lf::fork(solve_upper)(u, m.top(m.rows / 2));
    co_await lf::call(solve_upper)(u, m.bottom(m.rows - m.rows / 2));
    co_await lf::join;
    co_return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  co_await lf::call(solve_upper)(q.m00, left);
  co_await lf::call(subtract_product)(lu_product_of(right, left, q.m01));
  co_await lf::call(solve_upper)(q.m11, right);
};

constexpr auto lu = [](auto lu, lu_part m) LF_STATIC_CALL -> lf::task<void> {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    co_return;
  }
  const lu_quadrants q(m);
  co_await lf::call(lu)(q.m00);
  co_await lf::fork(solve_lower)(q.m00, q.m01);
  co_await lf::call(solve_upper)(q.m00, q.m10);
  co_await lf::join;
  co_await lf::call(subtract_product)(lu_product_of(q.m11, q.m10, q.m01));
  co_await lf::call(lu)(q.m11);
};

constexpr auto kernel = [](auto& session, lu_problem& p) {
  session.run(lu, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<lu_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<lu_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
