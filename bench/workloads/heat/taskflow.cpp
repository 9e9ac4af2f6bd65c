// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "heat.hpp"

namespace nopal_bench {
namespace {

void diffuse(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  tf::TaskGroup group = taskflow_group();
  group.silent_async([&s, first, middle] { diffuse(s, first, middle); });
  diffuse(s, middle, last);
  group.corun();
}

void heat_group(taskflow_session& session, heat_problem& p) {
  session.run([&p] {
    for (std::size_t i = 0; i < p.steps; ++i) {
      diffuse(p.step(i), 1, p.n - 1);
    }
  });
  p.result = true;
}

// Taskflow's documentation does a stencil in this way: one graph with a loop in it, the rows dealt
// out in equal parts.
void heat_for(taskflow_session& session, heat_problem& p) {
  tf::Taskflow flow;
  std::size_t number = 0;
  heat_step step = p.step(number);
  tf::Task start = flow.emplace([] {});
  tf::Task sweep = flow.for_each_by_index(
      tf::IndexRange<std::size_t>(1, p.n - 1, 1),
      [&step](const auto& rows) { diffuse_rows(step, rows.begin(), rows.end()); },
      tf::StaticPartitioner());
  tf::Task advance = flow.emplace([&] {
    step = p.step(++number);
    return number < p.steps ? 0 : 1;  // which of its successors comes next: the sweep, or none
  });
  start.precede(sweep);
  sweep.precede(advance);
  advance.precede(sweep);
  session.executor().run(flow).wait();
  p.result = true;
}

[[maybe_unused]] const bool enrolled =
    enroll<heat_problem, taskflow_session>("group", heat_group) &&
    enroll<heat_problem, taskflow_session>("for", heat_for);

}  // namespace
}  // namespace nopal_bench
