// SPDX-License-Identifier: Apache-2.0
// Runs every program linked in under the adversarial scheduler, with one seed after the other; each
// program is one test.
//   NOPAL_TEST_ADVERSARY_SEEDS   how many
//   NOPAL_TEST_ADVERSARY_SEED    this one alone, as a failure has printed it
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "adversary.hpp"
#include "program.hpp"
#include "values.hpp"

namespace nopal_test {

std::atomic<long> tracked::alive{0};

void tracked::lost() noexcept {
  std::fprintf(stderr, "An object is used that was moved as bytes, or is destroyed already.\n");
  std::abort();
}

namespace {

std::atomic<unsigned> failures{0};
std::source_location first_failure;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

class every_seed : public testing::Test {
 public:
  explicit every_seed(const program& p) : program_(p) {}

  void TestBody() override {
    const std::uint64_t only = from_environment("NOPAL_TEST_ADVERSARY_SEED", 0);
    const std::uint64_t seeds =
        from_environment("NOPAL_TEST_ADVERSARY_SEEDS", NOPAL_ADVERSARY_SEEDS);
    std::uint64_t steals = 0;
    std::uint64_t suspensions = 0;
    for (std::uint64_t seed = only != 0 ? only : 1; seed <= (only != 0 ? only : seeds); ++seed) {
      disturbance d = disturbance::of(seed);
      if (program_.many_stacks) d.stacks = SIZE_MAX;
      failures = 0;
      tracked::alive = 0;
      const outcome o = run_disturbed(d, program_.name, [this] { program_.run(); });
      steals += o.steals;
      suspensions += o.suspensions;
      EXPECT_EQ(failures, 0) << first_failure.file_name() << ':' << first_failure.line() << '\n'
                             << d.text();
      EXPECT_EQ(tracked::alive, 0) << "objects not destroyed, or destroyed twice\n" << d.text();
      EXPECT_EQ(o.fault, "") << d.text();
      if (HasFailure()) return;
    }
    // A disturbance that disturbs nothing would prove nothing.
    if (only == 0) {
      EXPECT_GT(steals, 0);
    }
    RecordProperty("steals", std::to_string(steals));
    RecordProperty("suspensions", std::to_string(suspensions));
  }

 private:
  program program_;
};

}  // namespace

void check(bool holds, std::source_location where) noexcept {
  if (!holds && failures.fetch_add(1) == 0) first_failure = where;
}

}  // namespace nopal_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const nopal_test::program& p : nopal_test::programs())
    testing::RegisterTest("adversary", p.name, nullptr, nullptr, __FILE__, __LINE__,
                          [p]() -> testing::Test* { return new nopal_test::every_seed(p); });
  return RUN_ALL_TESTS();
}
