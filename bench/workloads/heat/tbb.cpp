// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/partitioner.h>

#include "heat.hpp"

namespace nopal_bench {
namespace {

void diffuse_invoke(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  tbb::parallel_invoke([&] { diffuse_invoke(s, first, middle); },
                       [&] { diffuse_invoke(s, middle, last); });
}

void heat_invoke(heat_problem& p) {
  for (std::size_t i = 0; i < p.steps; ++i) {
    diffuse_invoke(p.step(i), 1, p.n - 1);
  }
}

// oneTBB recommends this partitioner if one loop after the other goes over the same memory.
void heat_for(heat_problem& p) {
  tbb::affinity_partitioner partitioner;
  for (std::size_t i = 0; i < p.steps; ++i) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(1, p.n - 1, heat_cutoff),
        [s = p.step(i)](const auto& rows) { diffuse_rows(s, rows.begin(), rows.end()); },
        partitioner);
  }
}

template <auto heat>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run([&p] { heat(p); });
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, tbb_session>("invoke", kernel<heat_invoke>) &&
    enroll<heat_problem, tbb_session>("for", kernel<heat_for>);

}  // namespace
}  // namespace nopal_bench
