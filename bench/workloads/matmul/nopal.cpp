// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <functional>

#include "matmul.hpp"

namespace nopal_bench {
namespace {

void matmul_invoke(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    matmul_invoke(p.first_half());
    matmul_invoke(p.second_half());
    return;
  }
  nopal::parallel_invoke([&] { matmul_invoke(p.first_half()); },
                         [&] { matmul_invoke(p.second_half()); });
}

NOPAL_FORKS void matmul_frame(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  const matmul_product first = p.first_half();
  const matmul_product second = p.second_half();
  if (p.splits_inner()) {
    matmul_frame(first);
    matmul_frame(second);
    return;
  }
  nopal::fork_frame frame;
  frame.fork(matmul_frame, std::cref(first));
  matmul_frame(second);
  frame.join();
}

template <auto multiply_whole>
constexpr auto kernel = [](auto& session, auto& p) {
  session.run(multiply_whole, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, nopal_session>("invoke", kernel<matmul_invoke>) &&
    enroll<matmul_problem, nopal_session>("frame", kernel<matmul_frame>);

}  // namespace
}  // namespace nopal_bench
