// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "fft.hpp"

namespace nopal_bench {
namespace {

// Closures fork in pairs, so a loop becomes a tree over its range.
template <class Body>
void over_range(std::size_t first, std::size_t last, const Body& body) {
  if (last - first <= fft_loop_cutoff) {
    body(first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([=, &body] { over_range(first, middle, body); },
                         [=, &body] { over_range(middle, last, body); });
}

void transform_invoke(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  over_range(0, m, [&](std::size_t first, std::size_t last) { step.deal(first, last); });
  nopal::parallel_invoke(
      [&] { transform_invoke(twiddles, out, in, m); },
      [&] { transform_invoke(twiddles, out.offset(m), in.offset(m), m); },
      [&] { transform_invoke(twiddles, out.offset(2 * m), in.offset(2 * m), m); },
      [&] { transform_invoke(twiddles, out.offset(3 * m), in.offset(3 * m), m); });
  over_range(0, m, [&](std::size_t first, std::size_t last) { step.combine(first, last); });
}

void deal_block(const fft_step* step, std::size_t first) {
  step->deal(first, std::min(first + fft_loop_cutoff, step->quarter));
}

void combine_block(const fft_step* step, std::size_t first) {
  step->combine(first, std::min(first + fft_loop_cutoff, step->quarter));
}

NOPAL_FORKS void transform_frame(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    return;
  }
  nopal::fork_frame frame;
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  for (std::size_t first = 0; first < m; first += fft_loop_cutoff) {
    frame.fork(deal_block, &step, first);
  }
  frame.join();
  for (std::size_t i = 0; i < 4; ++i) {
    frame.fork(transform_frame, twiddles, out.offset(i * m), in.offset(i * m), m);
  }
  frame.join();
  for (std::size_t first = 0; first < m; first += fft_loop_cutoff) {
    frame.fork(combine_block, &step, first);
  }
  frame.join();
}

[[maybe_unused]] const bool enrolled =
    enroll<fft_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_fft(session, p, transform_invoke); }) &&
    enroll<fft_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_fft(session, p, transform_frame); });

}  // namespace
}  // namespace nopal_bench
