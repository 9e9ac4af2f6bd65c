// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "fold.hpp"

namespace nopal_bench {
namespace {

double sum(const double* first, const double* last) {
  return nopal::fold(first, last, 0.0, std::plus<>{});
}

[[maybe_unused]] const bool enrolled = enroll<fold_problem, nopal_session>(
    "invoke", [](auto& session, auto& p) { run_fold(session, p, sum); });

}  // namespace
}  // namespace nopal_bench
