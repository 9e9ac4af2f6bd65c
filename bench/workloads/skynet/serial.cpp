// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "skynet.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) {
    return first;
  }
  leaves /= skynet_children;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < skynet_children; ++i) {
    sum += skynet(first + i * leaves, leaves);
  }
  return sum;
}

[[maybe_unused]] const bool enrolled = enroll<skynet_problem, serial_session>(
    "", [](auto& session, auto& p) { p.result = session.run(skynet, 0U, p.leaves); });

}  // namespace
}  // namespace nopal_bench
