// SPDX-License-Identifier: Apache-2.0
// How a workload's file puts its variants into the registry. The build gives the file
// NOPAL_BENCH_FAMILY, the family of its program, and NOPAL_BENCH_FLAGS, the flags that it is
// compiled with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/program.hpp"

namespace nopal_bench {

/// The bytes that stacks must hold. A problem that recurses deeply says them by a static function
/// stack_bytes(); otherwise they are 0.
template <class Problem>
std::size_t stack_bytes_of(std::uint64_t n) {
  if constexpr (requires { Problem::stack_bytes(n); }) {
    return Problem::stack_bytes(n);
  } else {
    return 0;
  }
}

/// What a library that reads the environment before main() must find there. Its session says it by
/// a static function environment_for(); otherwise it is nothing.
template <class Problem, class Session>
environment environment_of(const settings& s) {
  if constexpr (requires { Session::environment_for(s.workers, std::size_t{}); }) {
    return Session::environment_for(s.workers, stack_bytes_of<Problem>(s.n));
  } else {
    return {};
  }
}

/// A program made of the workload's problem, a library's session (its pool of workers) and the
/// kernel that joins both.
template <class Problem, class Session>
class bound_program final : public program {
 public:
  using kernel = void (*)(Session&, Problem&);

  bound_program(kernel k, const settings& s) : kernel_(k), how_(s), problem_(s.n) {}

  void prepare() override { problem_.prepare(); }
  void start() override { session_.emplace(how_.workers, stack_bytes_of<Problem>(how_.n)); }
  void run() override { kernel_(*session_, problem_); }
  [[nodiscard]] std::string error() const override { return problem_.error(); }
  [[nodiscard]] result_value result() const override { return problem_.result; }
  [[nodiscard]] std::string figures() const override { return session_->figures(); }

 private:
  kernel kernel_;
  settings how_;
  Problem problem_;
  std::optional<Session> session_;
};

/// Registers a variant. Its name is the family that the build gives to the executable, followed by
/// the suffix if there is one. A build may ask for the variants of one suffix by NOPAL_BENCH_ONLY.
template <class Problem, class Session>
bool enroll(std::string_view suffix, typename bound_program<Problem, Session>::kernel kernel) {
#ifdef NOPAL_BENCH_ONLY
  if (suffix != NOPAL_BENCH_ONLY) return true;
#endif
  std::string name = NOPAL_BENCH_FAMILY;
  if (!suffix.empty()) {
    name += '-';
    name += suffix;
  }
  registry().push_back({.workload = std::string(Problem::name),
                        .name = std::move(name),
                        .parallel = Session::parallel,
                        .sizes = {Problem::sizes.begin(), Problem::sizes.end()},
                        .peer = Session::peer(),
                        .compiler = this_compiler,
                        .flags = NOPAL_BENCH_FLAGS,
                        .stack_bytes = stack_bytes_of<Problem>,
                        .environment_for = environment_of<Problem, Session>,
                        .make = [kernel](const settings& s) -> std::unique_ptr<program> {
                          return std::make_unique<bound_program<Problem, Session>>(kernel, s);
                        }});
  return true;
}

}  // namespace nopal_bench
