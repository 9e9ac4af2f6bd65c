// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "spawn.hpp"

namespace nopal_bench {
namespace {

[[gnu::noinline]] void called(std::uint8_t* mark) { spawned_function(mark); }

void call_all(std::uint8_t* first, std::uint8_t* last) {
  for (std::uint8_t* mark = first; mark != last; ++mark) {
    called(mark);
  }
}

[[maybe_unused]] const bool enrolled = enroll<spawn_problem, serial_session>(
    "", [](auto& session, auto& p) { run_spawn(session, p, call_all); });

}  // namespace
}  // namespace nopal_bench
