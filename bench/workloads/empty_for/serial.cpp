// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

// The loop is split like the others: a plain loop would become one of vector instructions.
NOPAL_BENCH_CALLED void for_each(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  for_each(first, middle);
  for_each(middle, last);
}

[[maybe_unused]] const bool enrolled = enroll<empty_for_problem, serial_session>(
    "", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
