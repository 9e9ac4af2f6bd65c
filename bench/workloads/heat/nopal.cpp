// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "heat.hpp"

namespace nopal_bench {
namespace {

void diffuse_invoke(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::parallel_invoke([&] { diffuse_invoke(s, first, middle); },
                         [&] { diffuse_invoke(s, middle, last); });
}

NOPAL_FORKS void diffuse_frame(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  nopal::fork_frame frame;
  frame.fork(diffuse_frame, std::cref(s), first, middle);
  diffuse_frame(s, middle, last);
  frame.join();
}

template <auto diffuse>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run([&p] {
    for (std::size_t i = 0; i < p.steps; ++i) {
      diffuse(p.step(i), 1, p.n - 1);
    }
  });
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, nopal_session>("invoke", kernel<diffuse_invoke>) &&
    enroll<heat_problem, nopal_session>("frame", kernel<diffuse_frame>);

}  // namespace
}  // namespace nopal_bench
