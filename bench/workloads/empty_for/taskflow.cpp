// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

void for_each_group(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  tf::TaskGroup group = taskflow_group();
  group.silent_async([first, middle] { for_each_group(first, middle); });
  for_each_group(middle, last);
  group.corun();
}

// The partitioner hands out single bodies if there is more than one worker; Taskflow's usual one
// would hand out many at once.
void for_each(std::uint8_t* first, std::uint8_t* last) {
  tf::Taskflow loop;
  loop.for_each(
      first, last, [](std::uint8_t& mark) { empty_body(mark); }, tf::DynamicPartitioner(1));
  taskflow_session::executor().corun(loop);
}

[[maybe_unused]] const bool enrolled =
    enroll<empty_for_problem, taskflow_session>(
        "group", [](auto& session, auto& p) { run_empty_for(session, p, for_each_group); }) &&
    enroll<empty_for_problem, taskflow_session>(
        "for", [](auto& session, auto& p) { run_empty_for(session, p, for_each); });

}  // namespace
}  // namespace nopal_bench
