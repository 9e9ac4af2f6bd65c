// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

void transform(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
#pragma cilk grainsize 1
  cilk_for(std::size_t first = 0; first < m; first += fft_loop_cutoff) {
    step.deal(first, std::min(first + fft_loop_cutoff, m));
  }
  cilk_scope {
    for (std::size_t i = 0; i < 3; ++i) {
      cilk_spawn transform(twiddles, out.offset(i * m), in.offset(i * m), m);
    }
    transform(twiddles, out.offset(3 * m), in.offset(3 * m), m);
  }
#pragma cilk grainsize 1
  cilk_for(std::size_t first = 0; first < m; first += fft_loop_cutoff) {
    step.combine(first, std::min(first + fft_loop_cutoff, m));
  }
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, opencilk_session>(
    "", [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
