// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "strassen.hpp"

namespace nopal_bench {
namespace {

nopal::task<> add_up_task(const strassen_level* level, std::size_t first, std::size_t last) {
  if (last - first <= level->rows_at_a_time()) {
    add_up_results(*level, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await nopal::fork(add_up_task, level, first, middle);
  co_await nopal::call(add_up_task, level, middle, last);
  co_await nopal::join();
}

nopal::task<> strassen_task(strassen_product p);

nopal::task<> multiply_factors_task(const strassen_level* level, std::size_t i) {
  const strassen_factors factors(*level, i);
  co_await nopal::call(strassen_task, factors.product());
}

nopal::task<> strassen_task(strassen_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  const strassen_level level(p);
  constexpr std::size_t last = strassen_products - 1;
  for (std::size_t i = 0; i < last; ++i) {
    co_await nopal::fork(multiply_factors_task, &level, i);
  }
  co_await nopal::call(multiply_factors_task, &level, last);
  co_await nopal::join();
  co_await nopal::call(add_up_task, &level, 0U, level.half);
}

[[maybe_unused]] const bool enrolled =
    enroll<strassen_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(strassen_task, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
