// SPDX-License-Identifier: Apache-2.0
// Three programs, to each of which the system refuses each resource once: at the first call, at the
// second, and at calls that are drawn. Each time the program ends, and soon. Its results are right,
// or it has caught an exception that nopal throws for such a case, and its results are right once
// nothing is refused any more.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "refusal/programs.hpp"
#include "refusal/refusal.hpp"
#include "support/child_process.hpp"

namespace {

using namespace nopal_test;

struct program {
  const char* name;
  bool (*run)();
  std::uint32_t asks_for;  ///< Resources that it certainly asks the system for.
};

constexpr std::uint32_t of_runtimes = only(resource::mmap) | only(resource::guard) |
                                      only(resource::membarrier) | only(resource::futex_wait) |
                                      only(resource::thread) | only(resource::attributes) |
                                      only(resource::affinity) | only(resource::signal_stack);

const std::array programs{
    program{"forks", forks, of_runtimes}, program{"waits", waits, of_runtimes},
    program{"calls", calls,
            of_runtimes | only(resource::epoll_create) | only(resource::epoll_ctl) |
                only(resource::epoll_wait) | only(resource::eventfd)}};

/// Exit statuses of the child.
enum : int { fine = 0, wrong = 1, wrong_afterwards = 2, nothing_refused = 3 };

int run_refused(const program& p, const refusal_plan& plan) {
  bool right = true;
  refuse(plan);
  for (int i = 0; i < 3 && right; ++i) {
    try {
      right = p.run();
    } catch (const std::bad_alloc& e) {
      std::cerr << "said: " << e.what() << '\n';
    } catch (const std::system_error& e) {
      std::cerr << "said: " << e.what() << '\n';
    }
  }
  refuse_nothing();
  if (!right) return wrong;
  if (!p.run()) return wrong_afterwards;
  for (std::size_t i = 0; i < resources; ++i)
    if (refused(static_cast<resource>(i)) != 0) return fine;
  return nothing_refused;
}

class Refusal : public testing::TestWithParam<program> {
 protected:
  /// \param certainly  the calls that fail are made.
  static void passes(const refusal_plan& plan, bool certainly) {
    const auto ended = in_child([&] { return run_refused(GetParam(), plan); });
    EXPECT_TRUE(ended.ok() || (ended.exited && ended.status == nothing_refused && !certainly))
        << ended;
  }
};

/// What is refused so that `r` is. A kernel that has guards that do not split a mapping does not
/// need mprotect(2).
constexpr std::uint32_t with_what_it_needs(resource r) {
  return only(r) | (r == resource::mprotect ? only(resource::guard) : 0);
}

TEST_P(Refusal, OfEachResource) {
  for (std::size_t i = 0; i < resources; ++i) {
    const auto r = static_cast<resource>(i);
    const std::uint32_t of = with_what_it_needs(r);
    SCOPED_TRACE(testing::Message() << resource_names[i] << ", the first call");
    passes({.of = of, .at = 1}, (GetParam().asks_for & only(r)) != 0);
    SCOPED_TRACE("no, the second");
    passes({.of = of, .at = 2}, false);
    SCOPED_TRACE("no, some that are drawn");
    for (unsigned seed = 1; seed <= 3; ++seed)
      passes({.of = of, .seed = seed, .one_in = 1 + seed}, false);
  }
}

TEST_P(Refusal, OfAllResourcesAtOnce) {
  for (unsigned n = 2; n < 20; ++n) {
    SCOPED_TRACE(testing::Message() << "one call in " << n);
    passes({.of = all_resources, .seed = n, .one_in = n}, true);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Refusal, testing::ValuesIn(programs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
