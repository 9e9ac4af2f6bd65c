// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> rectmul(rectmul_product p) {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await rectmul(p.first_half());
    co_await rectmul(p.second_half());
    co_return;
  }
  auto first = co_await tmc::fork_clang(rectmul(p.first_half()));
  co_await rectmul(p.second_half());
  co_await std::move(first);
}

[[maybe_unused]] const bool enrolled =
    enroll<rectmul_problem, tmc_session>("fork", [](auto& session, auto& p) {
      session.run(rectmul, p.whole());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
