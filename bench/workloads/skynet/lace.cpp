// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "skynet.hpp"

namespace nopal_bench {
namespace {

TASK_2(std::uint64_t, skynet_lace, std::uint64_t, first, std::uint64_t, leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  constexpr unsigned last = skynet_children - 1;
  for (unsigned i = 0; i < last; ++i) {
    SPAWN(skynet_lace, first + i * leaves, leaves);
  }
  std::uint64_t sum = CALL(skynet_lace, first + last * leaves, leaves);
  for (unsigned i = 0; i < last; ++i) {
    sum += SYNC(skynet_lace);
  }
  return sum;
}

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, lace_session>(
    "spawn",
    [](auto&, auto& p) { p.result = RUN(skynet_lace, std::uint64_t{0}, std::uint64_t{p.leaves}); });

}  // namespace
}  // namespace nopal_bench
