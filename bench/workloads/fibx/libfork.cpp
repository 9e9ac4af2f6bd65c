// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "fibx.hpp"

namespace nopal_bench {
namespace {

constexpr auto fibx = [](auto fibx, int n) LF_STATIC_CALL -> lf::task<std::uint64_t> {
  if (n < 2) {
    co_return 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  co_await lf::fork(&a, fibx)(n - 1);
  co_await lf::call(&b, fibx)(n - fibx_gap);
  co_await lf::join;
  co_return a + b;
};

constexpr auto kernel = [](auto& session, fibx_problem& p) {
  p.result = session.run(fibx, int{p.n});
};

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<fibx_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
