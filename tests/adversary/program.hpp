// SPDX-License-Identifier: Apache-2.0
// A program of the adversary's: a function that forks, and checks its own result. It runs once for
// each seed.
#pragma once

#include <source_location>
#include <vector>

namespace nopal_test {

struct program {
  const char* name;
  void (*run)();
  bool many_stacks = false;  ///< It needs more than those that serial code needs.
};

/// All programs linked in. They enrol themselves.
inline std::vector<program>& programs() {
  static std::vector<program> all;
  return all;
}

struct enrolled {
  enrolled(const char* name, void (*run)(), bool many_stacks = false) {
    programs().push_back({name, run, many_stacks});
  }
};

/// Notes a failure where `holds` is false. It costs next to nothing, uses no thread-locals, and
/// never throws, so it can be used on any strand.
void check(bool holds, std::source_location where = std::source_location::current()) noexcept;

}  // namespace nopal_test

#define NOPAL_PROGRAM(name)                                       \
  static void name();                                             \
  static const nopal_test::enrolled name##_enrolled(#name, name); \
  static void name()
/// For strands that wait for functions which need a stack of their own.
#define NOPAL_PROGRAM_OF_MANY_STACKS(name)                              \
  static void name();                                                   \
  static const nopal_test::enrolled name##_enrolled(#name, name, true); \
  static void name()
