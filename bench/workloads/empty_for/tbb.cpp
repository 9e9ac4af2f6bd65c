// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

using range = tbb::blocked_range<std::uint8_t*>;

// The partitioner splits down to the grain; oneTBB's usual one would run many bodies as one task.
void for_each(std::uint8_t* first, std::uint8_t* last) {
  tbb::parallel_for(
      range(first, last, 1),
      [](const range& r) {
        for (std::uint8_t& mark : r) {
          empty_body(mark);
        }
      },
      tbb::simple_partitioner());
}

[[maybe_unused]] const bool enrolled = enroll<empty_for_problem, tbb_session>(
    "for", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
