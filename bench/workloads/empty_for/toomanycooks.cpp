// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_many.hpp>

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> for_each_fork(std::uint8_t* first, std::uint8_t* last) {
  if (last - first <= 1) {
    if (first != last) {
      empty_body(*first);
    }
    co_return;
  }
  std::uint8_t* middle = first + (last - first) / 2;
  auto left = co_await tmc::fork_clang(for_each_fork(first, middle));
  co_await for_each_fork(middle, last);
  co_await std::move(left);
}

// spawn_func_many is what TooManyCooks has for loops. It makes all children before the first is
// run.
tmc::task<void> for_each_many(std::uint8_t* first, std::uint8_t* last) {
  const auto body = [](std::uint8_t* mark) { return [mark] { empty_body(*mark); }; };
  co_await tmc::spawn_func_many(tmc::iter_adapter(first, body),
                                static_cast<std::size_t>(last - first));
}

[[maybe_unused]] const bool enrolled =
    enroll<empty_for_problem, tmc_session>(
        "fork", [](auto& session, auto& p) { run_empty_for(session, p, for_each_fork); }) &&
    enroll<empty_for_problem, tmc_session>(
        "many", [](auto& session, auto& p) { run_empty_for(session, p, for_each_many); });

}  // namespace
}  // namespace nopal_bench
