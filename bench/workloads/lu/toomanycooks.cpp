// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_tuple.hpp>

#include "lu.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> subtract_product(lu_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await subtract_product(p.first_half());
    co_await subtract_product(p.second_half());
    co_return;
  }
  auto first = co_await tmc::fork_clang(subtract_product(p.first_half()));
  co_await subtract_product(p.second_half());
  co_await std::move(first);
}

// m = X, L·X = m.
tmc::task<void> solve_lower(lu_part l, lu_part m) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    co_return;
  }
  if (m.cols >= l.cols) {
    auto left = co_await tmc::fork_clang(solve_lower(l, m.left(m.cols / 2)));
    co_await solve_lower(l, m.right(m.cols - m.cols / 2));
    co_await std::move(left);
    co_return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  co_await solve_lower(q.m00, top);
  co_await subtract_product(lu_product_of(bottom, q.m10, top));
  co_await solve_lower(q.m11, bottom);
}

// m = X, X·U = m.
tmc::task<void> solve_upper(lu_part u, lu_part m) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    co_return;
  }
  if (m.rows >= u.rows) {
    auto top = co_await tmc::fork_clang(solve_upper(u, m.top(m.rows / 2)));
    co_await solve_upper(u, m.bottom(m.rows - m.rows / 2));
    co_await std::move(top);
    co_return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  co_await solve_upper(q.m00, left);
  co_await subtract_product(lu_product_of(right, left, q.m01));
  co_await solve_upper(q.m11, right);
}

tmc::task<void> lu(lu_part m) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    co_return;
  }
  const lu_quadrants q(m);
  co_await lu(q.m00);
  auto right = co_await tmc::fork_clang(solve_lower(q.m00, q.m01));
  co_await solve_upper(q.m00, q.m10);
  co_await std::move(right);
  co_await subtract_product(lu_product_of(q.m11, q.m10, q.m01));
  co_await lu(q.m11);
}

[[maybe_unused]] const bool enrolled =
    enroll<lu_problem, tmc_session>("fork", [](auto& session, auto& p) {
      session.run(lu, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
