// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "rectmul.hpp"

namespace nopal_bench {
namespace {

constexpr auto rectmul = [](auto rectmul, rectmul_product p) LF_STATIC_CALL -> lf::task<void> {
  if (is_leaf(p)) {
    multiply(p);
    co_return;
  }
  if (p.splits_inner()) {
    co_await lf::call(rectmul)(p.first_half());
    co_await lf::call(rectmul)(p.second_half());
    co_return;
  }
  co_await lf::fork(rectmul)(p.first_half());
  co_await lf::call(rectmul)(p.second_half());
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, rectmul_problem& p) {
  session.run(rectmul, p.whole());
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<rectmul_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<rectmul_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
