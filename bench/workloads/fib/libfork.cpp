// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "fib.hpp"

namespace nopal_bench {
namespace {

constexpr auto fib = [](auto fib, unsigned n) LF_STATIC_CALL -> lf::task<std::uint64_t> {
  if (n < 2) {
    co_return n;
  }
  std::uint64_t a;
  std::uint64_t b;
  co_await lf::fork(&a, fib)(n - 1);
  co_await lf::call(&b, fib)(n - 2);
  co_await lf::join;
  co_return a + b;
};

constexpr auto kernel = [](auto& session, fib_problem& p) {
  p.result = session.run(fib, unsigned{p.n});
};

[[maybe_unused]] const bool enrolled = enroll<fib_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<fib_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
