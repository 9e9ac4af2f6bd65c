// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "lu.hpp"

namespace nopal_bench {
namespace {

void subtract_product_invoke(const lu_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    subtract_product_invoke(p.first_half());
    subtract_product_invoke(p.second_half());
    return;
  }
  nopal::parallel_invoke([&] { subtract_product_invoke(p.first_half()); },
                         [&] { subtract_product_invoke(p.second_half()); });
}

// m = X, L·X = m.
void solve_lower_invoke(const lu_part& l, const lu_part& m) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    return;
  }
  if (m.cols >= l.cols) {
    nopal::parallel_invoke([&] { solve_lower_invoke(l, m.left(m.cols / 2)); },
                           [&] { solve_lower_invoke(l, m.right(m.cols - m.cols / 2)); });
    return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  solve_lower_invoke(q.m00, top);
  subtract_product_invoke(lu_product_of(bottom, q.m10, top));
  solve_lower_invoke(q.m11, bottom);
}

// m = X, X·U = m.
void solve_upper_invoke(const lu_part& u, const lu_part& m) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    return;
  }
  if (m.rows >= u.rows) {
    nopal::parallel_invoke([&] { solve_upper_invoke(u, m.top(m.rows / 2)); },
                           [&] { solve_upper_invoke(u, m.bottom(m.rows - m.rows / 2)); });
    return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  solve_upper_invoke(q.m00, left);
  subtract_product_invoke(lu_product_of(right, left, q.m01));
  solve_upper_invoke(q.m11, right);
}

void lu_invoke(const lu_part& m) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    return;
  }
  const lu_quadrants q(m);
  lu_invoke(q.m00);
  nopal::parallel_invoke([&] { solve_lower_invoke(q.m00, q.m01); },
                         [&] { solve_upper_invoke(q.m00, q.m10); });
  subtract_product_invoke(lu_product_of(q.m11, q.m10, q.m01));
  lu_invoke(q.m11);
}

NOPAL_FORKS void subtract_product_frame(const lu_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    subtract_product_frame(p.first_half());
    subtract_product_frame(p.second_half());
    return;
  }
  const lu_product first = p.first_half();
  nopal::fork_frame frame;
  frame.fork(subtract_product_frame, std::cref(first));
  subtract_product_frame(p.second_half());
  frame.join();
}

// m = X, L·X = m.
NOPAL_FORKS void solve_lower_frame(const lu_part& l, const lu_part& m) {
  if (is_block(l) && is_block(m)) {
    solve_lower_block<lu_block>(l.at, m.at);
    return;
  }
  if (m.cols >= l.cols) {
    const lu_part half = m.left(m.cols / 2);
    nopal::fork_frame frame;
    frame.fork(solve_lower_frame, std::cref(l), std::cref(half));
    solve_lower_frame(l, m.right(m.cols - m.cols / 2));
    frame.join();
    return;
  }
  const lu_quadrants q(l);
  const lu_part top = m.top(q.first);
  const lu_part bottom = m.bottom(q.rest);
  solve_lower_frame(q.m00, top);
  subtract_product_frame(lu_product_of(bottom, q.m10, top));
  solve_lower_frame(q.m11, bottom);
}

// m = X, X·U = m.
NOPAL_FORKS void solve_upper_frame(const lu_part& u, const lu_part& m) {
  if (is_block(u) && is_block(m)) {
    solve_upper_block<lu_block>(u.at, m.at);
    return;
  }
  if (m.rows >= u.rows) {
    const lu_part half = m.top(m.rows / 2);
    nopal::fork_frame frame;
    frame.fork(solve_upper_frame, std::cref(u), std::cref(half));
    solve_upper_frame(u, m.bottom(m.rows - m.rows / 2));
    frame.join();
    return;
  }
  const lu_quadrants q(u);
  const lu_part left = m.left(q.first);
  const lu_part right = m.right(q.rest);
  solve_upper_frame(q.m00, left);
  subtract_product_frame(lu_product_of(right, left, q.m01));
  solve_upper_frame(q.m11, right);
}

NOPAL_FORKS void lu_frame(const lu_part& m) {
  if (is_block(m)) {
    factor_block<lu_block>(m.at);
    return;
  }
  const lu_quadrants q(m);
  lu_frame(q.m00);
  nopal::fork_frame frame;
  frame.fork(solve_lower_frame, std::cref(q.m00), std::cref(q.m01));
  solve_upper_frame(q.m00, q.m10);
  frame.join();
  subtract_product_frame(lu_product_of(q.m11, q.m10, q.m01));
  lu_frame(q.m11);
}

template <auto decompose>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(decompose, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<lu_problem, nopal_session>("invoke", kernel<lu_invoke>) &&
    enroll<lu_problem, nopal_session>("frame", kernel<lu_frame>);

}  // namespace
}  // namespace nopal_bench
