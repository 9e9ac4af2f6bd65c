// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "fold.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED double sum(const double* first, const double* last) {
  double total = 0;
  for (; first != last; ++first) {
    total += *first;
  }
  return total;
}

[[maybe_unused]] const bool enrolled = enroll<fold_problem, serial_session>(
    "", [](auto& session, auto& p) { run_fold(session, p, sum); });

}  // namespace
}  // namespace nopal_bench
