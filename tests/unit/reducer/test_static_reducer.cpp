// SPDX-License-Identifier: Apache-2.0
// Variables of static storage as reducers, by the calls that a compiler makes for them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "nopal/nopal.hpp"
#include "nopal/reducer/c_reducer.h"

namespace {

std::string written("<");
constexpr nopal_reducer_type appended{sizeof(std::string),
                                      [](void* view) { new (view) std::string; },
                                      [](void* left, void* right) {
                                        auto& r = *static_cast<std::string*>(right);
                                        *static_cast<std::string*>(left) += r;
                                        std::destroy_at(&r);
                                      }};
std::string& view() {
  return *static_cast<std::string*>(nopal_reducer_lookup_static(&written, &appended));
}

void write(char from, unsigned n) {
  if (n == 1) {
    view() += from;
    return;
  }
  nopal::parallel_invoke([=] { write(from, n / 2); },
                         [=] { write(static_cast<char>(from + n / 2), n - n / 2); });
}

TEST(StaticReducer, TheProgramsSegmentHasTheVariable) {
  nopal_reducer_begin_program();
  nopal::run([] { write('a', 26); });
  EXPECT_EQ(written, "<abcdefghijklmnopqrstuvwxyz");  // none was looked up here
  EXPECT_EQ(&view(), &written);
  nopal::run([] { write('A', 26); });
  EXPECT_EQ(view(), "<abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  written = "<";
}

TEST(StaticReducer, AThreadWithoutAStrandHasTheVariable) {
  std::thread([] { EXPECT_EQ(&view(), &written); }).join();
}

TEST(StaticReducer, CallsOfAnotherThreadReachTheVariable) {
  std::thread([] {
    written = "<";
    nopal::run([] { write('a', 26); });
    EXPECT_EQ(written, "<abcdefghijklmnopqrstuvwxyz");
    write('A', 26);  // moves to the default runtime by itself
    EXPECT_EQ(written, "<abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    written = "<";
  }).join();
}

}  // namespace
