// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "fft.hpp"

namespace nopal_bench {
namespace {

void transform(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  taskflow_for(0, m, fft_loop_cutoff,
               [&step](std::size_t first, std::size_t last) { step.deal(first, last); });
  tf::TaskGroup group = taskflow_group();
  for (std::size_t i = 0; i < 3; ++i) {
    group.silent_async([&, i] { transform(twiddles, out.offset(i * m), in.offset(i * m), m); });
  }
  transform(twiddles, out.offset(3 * m), in.offset(3 * m), m);
  group.corun();
  taskflow_for(0, m, fft_loop_cutoff,
               [&step](std::size_t first, std::size_t last) { step.combine(first, last); });
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, taskflow_session>(
    "group", [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
