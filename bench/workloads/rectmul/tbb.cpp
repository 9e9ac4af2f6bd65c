// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

void rectmul(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    rectmul(p.first_half());
    rectmul(p.second_half());
    return;
  }
  tbb::parallel_invoke([&] { rectmul(p.first_half()); }, [&] { rectmul(p.second_half()); });
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, tbb_session>("invoke", [](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
