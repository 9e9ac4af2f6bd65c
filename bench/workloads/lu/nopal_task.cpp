// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "lu.hpp"

namespace nopal_bench {
namespace {

nopal::task<> subtract_product_task(lu_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await nopal::call(subtract_product_task, p.first_half());
    co_await nopal::call(subtract_product_task, p.second_half());
    co_return;
  }
  co_await nopal::fork(subtract_product_task, p.first_half());
  co_await nopal::call(subtract_product_task, p.second_half());
  co_await nopal::join();
}

// m = X, L·X = m.
nopal::task<> solve_lower_task(lu_part l, lu_part m) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    co_return;
  }
  if (m.cols >= l.cols) {
    co_await nopal::fork(solve_lower_task, l, m.left(m.cols / 2));
    co_await nopal::call(solve_lower_task, l, m.right(m.cols - m.cols / 2));
    co_await nopal::join();
    co_return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  co_await nopal::call(solve_lower_task, q.m00, top);
  co_await nopal::call(subtract_product_task, lu_product_of(bottom, q.m10, top));
  co_await nopal::call(solve_lower_task, q.m11, bottom);
}

// m = X, X·U = m.
nopal::task<> solve_upper_task(lu_part u, lu_part m) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    co_return;
  }
  if (m.rows >= u.rows) {
    co_await nopal::fork(solve_upper_task, u, m.top(m.rows / 2));
    co_await nopal::call(solve_upper_task, u, m.bottom(m.rows - m.rows / 2));
    co_await nopal::join();
    co_return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  co_await nopal::call(solve_upper_task, q.m00, left);
  co_await nopal::call(subtract_product_task, lu_product_of(right, left, q.m01));
  co_await nopal::call(solve_upper_task, q.m11, right);
}

nopal::task<> lu_task(lu_part m) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    co_return;
  }
  const lu_quadrants q(m);
  co_await nopal::call(lu_task, q.m00);
  co_await nopal::fork(solve_lower_task, q.m00, q.m01);
  co_await nopal::call(solve_upper_task, q.m00, q.m10);
  co_await nopal::join();
  co_await nopal::call(subtract_product_task, lu_product_of(q.m11, q.m10, q.m01));
  co_await nopal::call(lu_task, q.m11);
}

[[maybe_unused]] const bool enrolled =
    enroll<lu_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(lu_task, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
