// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

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
    nopal::parallel_invoke([&] { sums[I] = skynet_invoke(first + I * leaves, leaves); }...);
  }(std::make_index_sequence<skynet_children>{});
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

NOPAL_FORKS std::uint64_t skynet_frame(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  nopal::fork_frame frame;
  child_sums sums;
  constexpr std::size_t last = skynet_children - 1;
  for (std::size_t i = 0; i < last; ++i) {
    frame.fork(&sums[i], skynet_frame, first + i * leaves, leaves);
  }
  sums[last] = skynet_frame(first + last * leaves, leaves);
  frame.join();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled =
    enroll<skynet_problem, nopal_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(skynet_invoke, 0U, p.leaves); }) &&
    enroll<skynet_problem, nopal_session>("frame", [](auto& session, auto& p) {
      p.result = session.run(skynet_frame, 0U, p.leaves);
    });

}  // namespace
}  // namespace nopal_bench
