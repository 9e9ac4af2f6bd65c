// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

// Part is fft_step's deal or combine.
template <auto Part>
nopal::task<> over_range_task(const fft_step* step, std::size_t first, std::size_t last) {
  if (last - first <= fft_loop_cutoff) {
    (step->*Part)(first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await nopal::fork(over_range_task<Part>, step, first, middle);
  co_await nopal::call(over_range_task<Part>, step, middle, last);
  co_await nopal::join();
}

nopal::task<> transform_task(fft_twiddles* twiddles, points in, points out, std::size_t n) {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    co_return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  co_await nopal::call(over_range_task<&fft_step::deal>, &step, 0U, m);
  for (std::size_t i = 0; i < 3; ++i) {
    co_await nopal::fork(transform_task, twiddles, out.offset(i * m), in.offset(i * m), m);
  }
  co_await nopal::call(transform_task, twiddles, out.offset(3 * m), in.offset(3 * m), m);
  co_await nopal::join();
  co_await nopal::call(over_range_task<&fft_step::combine>, &step, 0U, m);
}

[[maybe_unused]] const bool enrolled = enroll<fft_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_fft(session, p, transform_task); });

}  // namespace
}  // namespace nopal_bench
