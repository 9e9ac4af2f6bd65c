// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "heat.hpp"

namespace nopal_bench {
namespace {

void diffuse(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  cilk_scope {
    cilk_spawn diffuse(s, first, middle);
    diffuse(s, middle, last);
  }
}

// The scope around all steps is what keeps the workers from going to rest after each.
void heat_spawn(heat_problem& p) {
  cilk_scope {
    for (std::size_t i = 0; i < p.steps; ++i) {
      diffuse(p.step(i), 1, p.n - 1);
    }
  }
}

void heat_for(heat_problem& p) {
  cilk_scope {
    for (std::size_t i = 0; i < p.steps; ++i) {
      const heat_step s = p.step(i);
      const std::size_t end = p.n - 1;
      cilk_for (std::size_t row = 1; row < end; ++row) {
        diffuse_row(s, row);
      }
    }
  }
}

template <auto heat>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(heat, p);
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, opencilk_session>("", kernel<heat_spawn>) &&
    enroll<heat_problem, opencilk_session>("for", kernel<heat_for>);

}  // namespace
}  // namespace nopal_bench
