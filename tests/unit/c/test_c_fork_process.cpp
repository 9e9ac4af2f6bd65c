// SPDX-License-Identifier: Apache-2.0
// Runtimes, claims and scopes of the parent, in a child of fork(2).
#include <gtest/gtest.h>

#include <cerrno>

#include "nopal/nopal.h"
#include "support/build.hpp"
#include "support/child_process.hpp"

namespace {

void does_nothing(void* /*argument*/) {}

TEST(CForkProcess, RefusesWorkersOfTheParent) {
  if (nopal_test::with_tsan || nopal_test::with_emulator)
    GTEST_SKIP() << "neither ThreadSanitizer nor qemu-user supports threads in a child of a "
                    "process with threads";
  nopal_options o;
  ASSERT_EQ(nopal_options_init(&o, sizeof o), 0);
  o.workers = 2;
  nopal_runtime* r = nullptr;
  nopal_claim* c = nullptr;
  nopal_scope* s = nullptr;
  ASSERT_EQ(nopal_runtime_create(&o, &r), 0);
  ASSERT_EQ(nopal_invade(r, nullptr, &c), 0);
  ASSERT_EQ(nopal_scope_create_on(r, &s), 0);
  const nopal_test::ended_process child = nopal_test::in_child([&] {
    unsigned n = 0;
    nopal_claim* more = nullptr;
    const bool refused = nopal_run(r, does_nothing, nullptr) == ECHILD &&
                         nopal_claim_run(c, does_nothing, nullptr) == ECHILD &&
                         nopal_start(c, does_nothing, nullptr, nullptr) == ECHILD &&
                         nopal_claim_workers(c, &n) == ECHILD &&
                         nopal_invade(r, nullptr, &more) == ECHILD &&
                         nopal_scope_start(s, does_nothing, nullptr) == ECHILD &&
                         nopal_scope_join(s, NOPAL_FOREVER) == ECHILD;
    return refused && nopal_run(nullptr, does_nothing, nullptr) == 0 ? 0 : 1;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(nopal_scope_destroy(s), 0);
  EXPECT_EQ(nopal_retreat(c), 0);
  EXPECT_EQ(nopal_runtime_destroy(r), 0);
}

}  // namespace
