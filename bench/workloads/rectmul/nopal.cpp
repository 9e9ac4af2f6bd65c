// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

void rectmul_invoke(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    rectmul_invoke(p.first_half());
    rectmul_invoke(p.second_half());
    return;
  }
  nopal::parallel_invoke([&] { rectmul_invoke(p.first_half()); },
                         [&] { rectmul_invoke(p.second_half()); });
}

NOPAL_FORKS void rectmul_frame(const rectmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const rectmul_product first = p.first_half();
  const rectmul_product second = p.second_half();
  if (p.splits_inner()) {
    rectmul_frame(first);
    rectmul_frame(second);
    return;
  }
  nopal::fork_frame frame;
  frame.fork(rectmul_frame, std::cref(first));
  rectmul_frame(second);
  frame.join();
}

template <auto multiply_whole>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(multiply_whole, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, nopal_session>("invoke", kernel<rectmul_invoke>) &&
    enroll<rectmul_problem, nopal_session>("frame", kernel<rectmul_frame>);

}  // namespace
}  // namespace nopal_bench
