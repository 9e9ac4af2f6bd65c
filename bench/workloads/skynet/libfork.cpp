// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include <numeric>

#include "skynet.hpp"

namespace nopal_bench {
namespace {

constexpr auto skynet = [](auto skynet, std::uint64_t first, std::uint64_t leaves)
                            LF_STATIC_CALL -> lf::task<std::uint64_t> {
  if (leaves == 1) {
    co_return first;
  }
  leaves /= skynet_children;
  std::array<std::uint64_t, skynet_children> sums;
  constexpr std::size_t last = skynet_children - 1;
  for (std::size_t i = 0; i < last; ++i) {
    co_await lf::fork(&sums[i], skynet)(first + i * leaves, leaves);
  }
  co_await lf::call(&sums[last], skynet)(first + last * leaves, leaves);
  co_await lf::join;
  co_return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
};

constexpr auto kernel = [](auto& session, skynet_problem& p) {
  p.result = session.run(skynet, std::uint64_t{0}, p.leaves);
};

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<skynet_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
