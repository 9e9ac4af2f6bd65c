// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "fft.hpp"

namespace nopal_bench {
namespace {

// Part is fft_step's deal or combine.
template <auto Part>
constexpr auto over_range = [](auto over_range, const fft_step* step, std::size_t first,
                               std::size_t last) LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= fft_loop_cutoff) {
    (step->*Part)(first, last);
    co_return;
  }
  const std::size_t middle = first + (last - first) / 2;
  co_await lf::fork(over_range)(step, first, middle);
  co_await lf::call(over_range)(step, middle, last);
  co_await lf::join;
};

constexpr auto transform = [](auto transform, fft_twiddles* twiddles, points in, points out,
                              std::size_t n) LF_STATIC_CALL -> lf::task<void> {
  if (n <= fft_cutoff) {
    transform_short(*twiddles, in, out, n);
    co_return;
  }
  const fft_step step(*twiddles, in, out, n);
  const std::size_t m = step.quarter;
  co_await lf::call(over_range<&fft_step::deal>)(&step, std::size_t{0}, m);
  co_await lf::join;
  for (std::size_t i = 0; i < 3; ++i) {
    co_await lf::fork(transform)(twiddles, out.offset(i * m), in.offset(i * m), m);
  }
  co_await lf::call(transform)(twiddles, out.offset(3 * m), in.offset(3 * m), m);
  co_await lf::join;
  co_await lf::call(over_range<&fft_step::combine>)(&step, std::size_t{0}, m);
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, fft_problem& p) { run_fft(session, p, transform); };

[[maybe_unused]] const bool enrolled = enroll<fft_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<fft_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
