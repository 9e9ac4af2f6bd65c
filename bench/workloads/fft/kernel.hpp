// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"
#include "harness/runtimes/kernel.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, transform, (fft_twiddles * twiddles, points in, points out, std::size_t n)) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    BENCH_RETURN;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  BENCH_LOOP(std::size_t{0}, m, fft_loop_cutoff, &fft_step::deal, step);
  BENCH_FORK_FOUR(transform, (twiddles, out, in, m), (twiddles, out.offset(m), in.offset(m), m),
                  (twiddles, out.offset(2 * m), in.offset(2 * m), m),
                  (twiddles, out.offset(3 * m), in.offset(3 * m), m));
  BENCH_LOOP(std::size_t{0}, m, fft_loop_cutoff, &fft_step::combine, step);
}

[[maybe_unused]] const bool enrolled = enroll_kernel<fft_problem, widest::few>(
    [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
