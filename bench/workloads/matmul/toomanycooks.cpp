// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "matmul.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> matmul(matmul_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await matmul(p.first_half());
    co_await matmul(p.second_half());
    co_return;
  }
  auto first = co_await tmc::fork_clang(matmul(p.first_half()));
  co_await matmul(p.second_half());
  co_await std::move(first);
}

[[maybe_unused]] const bool enrolled =
    enroll<matmul_problem, tmc_session>("fork", [](auto& session, auto& p) {
      session.run(matmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
