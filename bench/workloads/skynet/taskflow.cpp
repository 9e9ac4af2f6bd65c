// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include <numeric>

#include "skynet.hpp"

namespace nopal_bench {
namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  std::array<std::uint64_t, skynet_children> sums;
  constexpr std::size_t last = skynet_children - 1;
  tf::TaskGroup group = taskflow_group();
  for (std::size_t i = 0; i < last; ++i) {
    group.silent_async([&sums, first, leaves, i] { sums[i] = skynet(first + i * leaves, leaves); });
  }
  sums[last] = skynet(first + last * leaves, leaves);
  group.corun();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, taskflow_session>(
    "group",
    [](auto& session, auto& p) { p.result = session.run(skynet, std::uint64_t{0}, p.leaves); });

}  // namespace
}  // namespace nopal_bench
