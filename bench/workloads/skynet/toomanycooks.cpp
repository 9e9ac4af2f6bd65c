// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <numeric>
#include <tmc/spawn_many.hpp>

#include "skynet.hpp"

namespace nopal_bench {
namespace {

tmc::task<std::uint64_t> skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    co_return first;
  }
  leaves /= skynet_children;
  const auto child = [first, leaves](std::uint64_t i) {
    return skynet(first + i * leaves, leaves);
  };
  const auto sums =
      co_await tmc::spawn_many<skynet_children>(tmc::iter_adapter(std::uint64_t{0}, child));
  co_return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

// TooManyCooks' authors use this strategy for this benchmark.
using lattice_session = tmc_session_with<tmc::work_stealing_strategy::LATTICE_MATRIX>;

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, lattice_session>(
    "many", [](auto& session, auto& p) { p.result = session.run(skynet, 0U, p.leaves); });

}  // namespace
}  // namespace nopal_bench
