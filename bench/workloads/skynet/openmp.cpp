// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

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
  for (std::size_t i = 0; i < last; ++i) {
#pragma omp task default(none) shared(sums) firstprivate(first, leaves, i)
    sums[i] = skynet(first + i * leaves, leaves);
  }
  sums[last] = skynet(first + last * leaves, leaves);
#pragma omp taskwait
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, openmp_session>(
    "", [](auto& session, auto& p) { p.result = session.run(skynet, std::uint64_t{0}, p.leaves); });

}  // namespace
}  // namespace nopal_bench
