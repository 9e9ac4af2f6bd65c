// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "matmul.hpp"

namespace nopal_bench {
namespace {

constexpr auto matmul = [](auto matmul, matmul_product p) LF_STATIC_CALL -> lf::task<void> {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await lf::call(matmul)(p.first_half());
    co_await lf::call(matmul)(p.second_half());
    co_return;
  }
  co_await lf::fork(matmul)(p.first_half());
  co_await lf::call(matmul)(p.second_half());
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, matmul_problem& p) {
  session.run(matmul, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<matmul_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<matmul_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
