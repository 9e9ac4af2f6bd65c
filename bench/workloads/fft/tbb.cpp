// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include "fft.hpp"

namespace nopal_bench {
namespace {

using range = tbb::blocked_range<std::size_t>;

void transform(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  tbb::parallel_for(range(0, m, fft_loop_cutoff),
                    [&](const range& r) { step.deal(r.begin(), r.end()); });
  tbb::parallel_invoke([&] { transform(twiddles, out, in, m); },
                       [&] { transform(twiddles, out.offset(m), in.offset(m), m); },
                       [&] { transform(twiddles, out.offset(2 * m), in.offset(2 * m), m); },
                       [&] { transform(twiddles, out.offset(3 * m), in.offset(3 * m), m); });
  tbb::parallel_for(range(0, m, fft_loop_cutoff),
                    [&](const range& r) { step.combine(r.begin(), r.end()); });
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, tbb_session>(
    "invoke", [](auto& session, auto& p) { run_fft(session, p, transform); });

}  // namespace
}  // namespace nopal_bench
