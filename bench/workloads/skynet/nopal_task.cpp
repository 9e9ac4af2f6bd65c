// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "harness/sessions/nopal.hpp"
#include "skynet.hpp"

namespace nopal_bench {
namespace {

nopal::task<std::uint64_t> skynet_task(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    co_return first;
  }
  leaves /= skynet_children;
  std::array<std::uint64_t, skynet_children> sums;
  constexpr std::size_t last = skynet_children - 1;
  for (std::size_t i = 0; i < last; ++i) {
    co_await nopal::fork(&sums[i], skynet_task, first + i * leaves, leaves);
  }
  co_await nopal::call(&sums[last], skynet_task, first + last * leaves, leaves);
  co_await nopal::join();
  co_return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, nopal_session>(
    "task", [](auto& session, auto& p) { p.result = session.run(skynet_task, 0U, p.leaves); });

}  // namespace
}  // namespace nopal_bench
