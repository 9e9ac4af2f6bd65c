// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <numeric>
#include <utility>

#include "skynet.hpp"

namespace nopal_bench {
namespace {

using child_sums = std::array<std::uint64_t, skynet_children>;

std::uint64_t skynet_invoke(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  child_sums sums;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    tbb::parallel_invoke([&] { sums[I] = skynet_invoke(first + I * leaves, leaves); }...);
  }(std::make_index_sequence<skynet_children>{});
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

std::uint64_t skynet_group(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  child_sums sums;
  constexpr std::size_t last = skynet_children - 1;
  tbb::task_group group;
  for (std::size_t i = 0; i < last; ++i) {
    group.run([&sums, first, leaves, i] { sums[i] = skynet_group(first + i * leaves, leaves); });
  }
  group.run_and_wait([&] { sums[last] = skynet_group(first + last * leaves, leaves); });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled =
    enroll<skynet_problem, tbb_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(skynet_invoke, 0U, p.leaves); }) &&
    enroll<skynet_problem, tbb_session>("group", [](auto& session, auto& p) {
      p.result = session.run(skynet_group, 0U, p.leaves);
    });

}  // namespace
}  // namespace nopal_bench
