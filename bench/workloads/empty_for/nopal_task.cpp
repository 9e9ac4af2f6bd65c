// SPDX-License-Identifier: Apache-2.0
#include "empty_for.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

nopal::task<> for_each_task(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    co_return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  co_await nopal::fork(for_each_task, first, middle);
  co_await nopal::call(for_each_task, middle, last);
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled = enroll<empty_for_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_empty_for(session, p, for_each_task); });

}  // namespace
}  // namespace nopal_bench
