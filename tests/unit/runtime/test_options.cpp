// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/options.hpp"
#include "nopal/runtime.hpp"
#include "platform/stack_memory.hpp"
#include "runtime/options.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"

namespace {

using nopal::options;
using nopal_test::environment_variable;

options with(const char* variable, const char* value) {
  const environment_variable set(variable, value);
  return options::from_environment();
}

/// The message that refuses the value; empty where it is taken.
std::string refusal(const char* variable, const char* value) {
  try {
    with(variable, value);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

struct bad_value {
  const char* variable;
  const char* value;
  const char* allowed;  ///< A piece of what the message says is allowed.
};

TEST(Options, DefaultsWithoutEnvironment) {
  std::vector<std::unique_ptr<environment_variable>> unset;
  for (const char* v : {"NOPAL_WORKERS", "NOPAL_PIN", "NOPAL_IDLE", "NOPAL_STACK_BYTES",
                        "NOPAL_RECLAIM", "NOPAL_SEED", "NOPAL_CALLER_WORKS"})
    unset.push_back(std::make_unique<environment_variable>(v, nullptr));
  const options o = options::from_environment();
  EXPECT_EQ(o.workers, 0U);
  EXPECT_FALSE(o.pin);
  EXPECT_EQ(o.idle, nopal::idle_policy::lazy);
  EXPECT_EQ(o.stack_bytes, std::size_t{1} << 20);
  EXPECT_EQ(o.reclaim, nopal::reclaim_policy::adaptive);
  EXPECT_EQ(o.seed, 0U);
  EXPECT_TRUE(o.caller_works);
}

TEST(Options, Workers) {
  EXPECT_EQ(with("NOPAL_WORKERS", "0").workers, 0U);
  EXPECT_EQ(with("NOPAL_WORKERS", "7").workers, 7U);
  EXPECT_EQ(with("NOPAL_WORKERS", "1024").workers, 1024U);
}

TEST(Options, Pin) {
  for (const char* yes : {"1", "true", "yes", "on"}) EXPECT_TRUE(with("NOPAL_PIN", yes).pin) << yes;
  for (const char* no : {"0", "false", "no", "off"}) EXPECT_FALSE(with("NOPAL_PIN", no).pin) << no;
}

TEST(Options, CallerWorks) {
  for (const char* yes : {"1", "true", "yes", "on"})
    EXPECT_TRUE(with("NOPAL_CALLER_WORKS", yes).caller_works) << yes;
  for (const char* no : {"0", "false", "no", "off"})
    EXPECT_FALSE(with("NOPAL_CALLER_WORKS", no).caller_works) << no;
}

TEST(Options, Idle) {
  EXPECT_EQ(with("NOPAL_IDLE", "lazy").idle, nopal::idle_policy::lazy);
  EXPECT_EQ(with("NOPAL_IDLE", "busy").idle, nopal::idle_policy::busy);
}

TEST(Options, StackBytes) {
  EXPECT_EQ(with("NOPAL_STACK_BYTES", "16384").stack_bytes, 16384U);
  EXPECT_EQ(with("NOPAL_STACK_BYTES", "64K").stack_bytes, 65536U);
  EXPECT_EQ(with("NOPAL_STACK_BYTES", "2M").stack_bytes, std::size_t{2} << 20);
  EXPECT_EQ(with("NOPAL_STACK_BYTES", "1G").stack_bytes, std::size_t{1} << 30);
}

TEST(Options, Reclaim) {
  EXPECT_EQ(with("NOPAL_RECLAIM", "none").reclaim, nopal::reclaim_policy::none);
  EXPECT_EQ(with("NOPAL_RECLAIM", "free").reclaim, nopal::reclaim_policy::free);
  EXPECT_EQ(with("NOPAL_RECLAIM", "dontneed").reclaim, nopal::reclaim_policy::dontneed);
  EXPECT_EQ(with("NOPAL_RECLAIM", "adaptive").reclaim, nopal::reclaim_policy::adaptive);
}

TEST(Options, Seed) {
  EXPECT_EQ(with("NOPAL_SEED", "0").seed, 0U);
  EXPECT_EQ(with("NOPAL_SEED", "18446744073709551615").seed, ~std::uint64_t{0});
}

TEST(Options, AnEmptyVariableIsNotSet) {
  for (const char* v : {"NOPAL_WORKERS", "NOPAL_PIN", "NOPAL_IDLE", "NOPAL_STACK_BYTES",
                        "NOPAL_RECLAIM", "NOPAL_SEED", "NOPAL_CALLER_WORKS"})
    EXPECT_EQ(refusal(v, ""), "") << v;
  EXPECT_FALSE(with("NOPAL_PIN", "").pin);
  EXPECT_TRUE(with("NOPAL_CALLER_WORKS", "").caller_works);
}

TEST(Options, AnUnknownVariableIsNotedOnce) {
  const auto p = nopal_test::in_child([] {
    const environment_variable unknown("NOPAL_WORKER", "2"), test("NOPAL_TEST_SEED", "1"),
        bench("NOPAL_BENCH_X", ""), known("NOPAL_WORKERS", "3");
    for (int i = 0; i < 2; ++i)
      if (options::from_environment().workers != 3) return 1;
    return 0;
  });
  EXPECT_TRUE(p.ok()) << p;
  EXPECT_EQ(p.errors,
            "nopal: there is no environment variable NOPAL_WORKER; known are NOPAL_WORKERS, "
            "NOPAL_PIN, NOPAL_IDLE, NOPAL_STACK_BYTES, NOPAL_RECLAIM, NOPAL_SEED, "
            "NOPAL_CALLER_WORKS, NOPAL_IO\n");
}

TEST(Options, RefusalNamesVariableValueAndWhatIsAllowed) {
  for (const bad_value& b : std::vector<bad_value>{
           {"NOPAL_WORKERS", "two", "0 to 1024"},
           {"NOPAL_WORKERS", "-1", "0 to 1024"},
           {"NOPAL_WORKERS", "1025", "0 to 1024"},
           {"NOPAL_WORKERS", "99999999999999999999", "0 to 1024"},
           {"NOPAL_WORKERS", "4 ", "0 to 1024"},
           {"NOPAL_WORKERS", "4K", "0 to 1024"},
           {"NOPAL_PIN", "2", "true"},
           {"NOPAL_CALLER_WORKS", "never", "true"},
           {"NOPAL_IDLE", "Lazy", "lazy, busy"},
           {"NOPAL_IO", "uring", "auto, threads"},
           {"NOPAL_STACK_BYTES", "16383", "16384 to 1073741824"},
           {"NOPAL_STACK_BYTES", "15K", "K, M or G"},
           {"NOPAL_STACK_BYTES", "2G", "16384 to 1073741824"},
           {"NOPAL_STACK_BYTES", "17179869184G", "16384 to 1073741824"},
           {"NOPAL_STACK_BYTES", "1MB", "K, M or G"},
           {"NOPAL_STACK_BYTES", "M", "K, M or G"},
           {"NOPAL_RECLAIM", "always", "none, free, dontneed, adaptive"},
           {"NOPAL_SEED", "0x10", "0 to 18446744073709551615"},
           {"NOPAL_SEED", "18446744073709551616", "0 to 18446744073709551615"},
       }) {
    const std::string message = refusal(b.variable, b.value);
    EXPECT_NE(message.find(b.variable), std::string::npos)
        << b.variable << "=" << b.value << ": " << message;
    EXPECT_NE(message.find("'" + std::string(b.value) + "'"), std::string::npos) << message;
    EXPECT_NE(message.find(b.allowed), std::string::npos) << message;
  }
}

TEST(Options, RefusalNamesFieldValueAndWhatIsAllowed) {
  const auto refused = [](const options& o) -> std::string {
    try {
      nopal::detail::checked(o);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refused({}), "");
  const std::string workers = refused({.workers = 5000});
  for (const char* part : {"options::workers", "5000", "1024"})
    EXPECT_NE(workers.find(part), std::string::npos) << workers;
  const std::string small = refused({.stack_bytes = 1000});
  for (const char* part : {"options::stack_bytes", "1000", "16384"})
    EXPECT_NE(small.find(part), std::string::npos) << small;
  EXPECT_NE(refused({.stack_bytes = nopal::detail::max_stack_bytes + 1}), "");
}

TEST(Options, StackBytesAreRoundedUpToPages) {
  const auto page = nopal::detail::page_size();
  EXPECT_EQ(nopal::detail::checked({.stack_bytes = (std::size_t{1} << 20) + 1}).stack_bytes,
            (std::size_t{1} << 20) + page);
}

/// The message of the runtime that refuses the options.
template <class Set>
std::string refusal_of_runtime(Set set) {
  options o;
  o.workers = 1;
  set(o);
  try {
    const nopal::runtime r(o);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Options, EnumeratorsThatThereAreNot) {
  for (const int value : {-1, 2, 77}) {
    const std::string idle =
        refusal_of_runtime([&](options& o) { o.idle = nopal::idle_policy(value); });
    EXPECT_NE(idle.find("options::idle is " + std::to_string(value) + ","), std::string::npos)
        << idle;
    EXPECT_NE(idle.find("idle_policy::lazy and idle_policy::busy"), std::string::npos) << idle;
  }
  for (const int value : {-1, 4, 77}) {
    const std::string reclaim =
        refusal_of_runtime([&](options& o) { o.reclaim = nopal::reclaim_policy(value); });
    EXPECT_NE(reclaim.find("options::reclaim is " + std::to_string(value) + ","), std::string::npos)
        << reclaim;
    EXPECT_NE(reclaim.find("none, free, dontneed and adaptive"), std::string::npos) << reclaim;
  }
}

}  // namespace
