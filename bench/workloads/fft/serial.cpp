// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "fft.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void transform(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  step.deal(0, m);
  for (std::size_t i = 0; i < 4; ++i) {
    transform(twiddles, out.offset(i * m), in.offset(i * m), m);
  }
  step.combine(0, m);
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, serial_session>(
    "", [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
