// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "matmul.hpp"

namespace nopal_bench {
namespace {

void matmul(const matmul_product& p) {
  if (is_leaf(p)) {
    multiply(p);
    return;
  }
  if (p.splits_inner()) {
    matmul(p.first_half());
    matmul(p.second_half());
    return;
  }
  tf::TaskGroup group = taskflow_group();
  group.silent_async([&p] { matmul(p.first_half()); });
  matmul(p.second_half());
  group.corun();
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, taskflow_session>("group", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
