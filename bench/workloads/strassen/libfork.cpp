// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "strassen.hpp"

namespace nopal_bench {
namespace {

constexpr auto add_up = [](auto add_up, const strassen_level* level, std::size_t first,
                           std::size_t last) LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= level->rows_at_a_time()) {
    add_up_results(*level, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await lf::fork(add_up)(level, first, middle);
  co_await lf::call(add_up)(level, middle, last);
  co_await lf::join;
};

// Two coroutines that call each other: one has to be declared before it is defined, which a lambda
// cannot be.
struct strassen_function {
  template <class Self>
  lf::task<void> operator()(Self, strassen_product p) const;
};
constexpr strassen_function strassen;

constexpr auto multiply_factors = [](auto, const strassen_level* level, std::size_t i)
                                      LF_STATIC_CALL -> lf::task<void> {
  const strassen_factors factors(*level, i);
  co_await lf::call(strassen)(factors.product());
};

template <class Self>
lf::task<void> strassen_function::operator()(Self, strassen_product p) const {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  const strassen_level level(p);
  constexpr std::size_t last = strassen_products - 1;
  for (std::size_t i = 0; i < last; ++i) {
    co_await lf::fork(multiply_factors)(&level, i);
  }
  co_await lf::call(multiply_factors)(&level, last);
  co_await lf::join;
  co_await lf::call(add_up)(&level, std::size_t{0}, level.half);
}

constexpr auto kernel = [](auto& session, strassen_problem& p) {
  session.run(strassen, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<strassen_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<strassen_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
