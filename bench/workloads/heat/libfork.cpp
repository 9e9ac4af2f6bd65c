// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "heat.hpp"

namespace nopal_bench {
namespace {

constexpr auto diffuse = [](auto diffuse, heat_step s, std::size_t first, std::size_t last)
                             LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await lf::fork(diffuse)(s, first, middle);
  co_await lf::call(diffuse)(s, middle, last);
  co_await lf::join;
};

constexpr auto heat = [](auto, heat_problem* p) LF_STATIC_CALL -> lf::task<void> {
  for (std::size_t i = 0; i < p->steps; ++i) {
    co_await lf::call(diffuse)(p->step(i), std::size_t{1}, p->n - 1);
  }
};

constexpr auto kernel = [](auto& session, heat_problem& p) {
  session.run(heat, &p);
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<heat_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<heat_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
