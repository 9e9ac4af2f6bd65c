// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn_tuple.hpp>

#include "fft.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> transform(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    co_return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  co_await tmc_for_blocks(0, m, fft_loop_cutoff,
                          [&](std::size_t i, std::size_t end) { step.deal(i, end); });
  co_await tmc::spawn_tuple(transform(twiddles, out, in, m),
                            transform(twiddles, out.offset(m), in.offset(m), m),
                            transform(twiddles, out.offset(2 * m), in.offset(2 * m), m),
                            transform(twiddles, out.offset(3 * m), in.offset(3 * m), m));
  co_await tmc_for_blocks(0, m, fft_loop_cutoff,
                          [&](std::size_t i, std::size_t end) { step.combine(i, end); });
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, tmc_session>(
    "tuple", [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
