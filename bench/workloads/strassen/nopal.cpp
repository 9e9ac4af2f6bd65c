// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>
#include <utility>

#include "strassen.hpp"

namespace nopal_bench {
namespace {

void add_up_invoke(const strassen_level& level, std::size_t first, std::size_t last) {
  if (last - first <= level.rows_at_a_time()) {
    add_up_results(level, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([&] { add_up_invoke(level, first, middle); },
                         [&] { add_up_invoke(level, middle, last); });
}

void strassen_invoke(const strassen_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const strassen_level level(p);
  const auto multiply_factors = [&level](std::size_t i) {
    const strassen_factors factors(level, i);
    strassen_invoke(factors.product());
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    nopal::parallel_invoke([&] { multiply_factors(I); }...);
  }(std::make_index_sequence<strassen_products>{});
  add_up_invoke(level, 0, level.half);
}

NOPAL_FORKS void add_up_frame(const strassen_level& level, std::size_t first, std::size_t last) {
  if (last - first <= level.rows_at_a_time()) {
    add_up_results(level, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::fork_frame frame;
  frame.fork(add_up_frame, std::cref(level), first, middle);
  add_up_frame(level, middle, last);
  frame.join();
}

void strassen_frame(const strassen_product& p);

void multiply_factors_frame(const strassen_level& level, std::size_t i) {
  const strassen_factors factors(level, i);
  strassen_frame(factors.product());
}

NOPAL_FORKS void strassen_frame(const strassen_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const strassen_level level(p);
  nopal::fork_frame frame;
  constexpr std::size_t last = strassen_products - 1;
  for (std::size_t i = 0; i < last; ++i) {
    frame.fork(multiply_factors_frame, std::cref(level), i);
  }
  multiply_factors_frame(level, last);
  frame.join();
  add_up_frame(level, 0, level.half);
}

template <auto multiply_whole>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(multiply_whole, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, nopal_session>("invoke", kernel<strassen_invoke>) &&
    enroll<strassen_problem, nopal_session>("frame", kernel<strassen_frame>);

}  // namespace
}  // namespace nopal_bench
