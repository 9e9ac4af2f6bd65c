// SPDX-License-Identifier: Apache-2.0
// What the harness measures: one variant of one workload, with everything except the timed part
// kept out of run(). This file includes neither JSON nor the command line: every workload includes
// it, and those two take seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nopal_bench {

/// A named problem size of a workload.
struct problem_size {
  std::string_view name;
  std::uint64_t n;
};

/// The result of a workload, for the record.
using result_value = std::variant<bool, std::uint64_t, double>;

/// The library that schedules: its name, its version and what else there is to say.
using description = std::vector<std::pair<std::string, std::string>>;

/// Environment variables, each with the value that it must have when the process starts.
using environment = std::vector<std::pair<std::string, std::string>>;

/// The compiler of the file that uses this: a variant may have another than the harness.
constexpr std::string_view this_compiler =
#if defined(__clang__)
    "clang " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

/// A problem that does not fit this machine; what() says what it needs and what there is.
struct not_possible_here : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What one measurement asks for.
struct settings {
  unsigned workers = 1;
  std::uint64_t n = 0;
};

/// One variant of one workload. Its problem is there from the start; start() makes the workers,
/// before the first run().
class program {
 public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  virtual void prepare() = 0;  // before each run, not timed; needs no workers
  virtual void start() = 0;    // once, not timed
  virtual void run() = 0;      // the timed part
  // what is wrong with the last result; empty: nothing
  [[nodiscard]] virtual std::string error() const = 0;
  [[nodiscard]] virtual result_value result() const = 0;  // the last result
  // the scheduler's own, a JSON object; empty: it has none
  [[nodiscard]] virtual std::string figures() const = 0;
};

/// An entry of the registry.
struct variant {
  std::string workload;
  std::string name;
  bool parallel;
  std::vector<problem_size> sizes;
  description peer;
  std::string_view compiler;
  std::string_view flags;
  // what a stack must hold; 0: as much as any does
  std::function<std::size_t(std::uint64_t n)> stack_bytes;
  std::function<environment(const settings&)> environment_for;
  std::function<std::unique_ptr<program>(const settings&)> make;
};

/// All variants linked into this executable, in the order of registration.
std::vector<variant>& registry();

}  // namespace nopal_bench
