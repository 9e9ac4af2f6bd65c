// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "heat.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void diffuse(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  diffuse(s, first, middle);
  diffuse(s, middle, last);
}

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, serial_session>("", [](auto& session, auto& p) {
      session.run([&p] {
        for (std::size_t i = 0; i < p.steps; ++i) {
          diffuse(p.step(i), 1, p.n - 1);
        }
      });
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
