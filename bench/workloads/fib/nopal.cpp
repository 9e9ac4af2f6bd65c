// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "fib.hpp"

namespace nopal_bench {
namespace {

// The function is inline, as Lace's macros declare its tasks: the compiler may then inline the leaf
// into its caller.
inline std::uint64_t fib_invoke(unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = nopal::parallel_invoke([n] { return fib_invoke(n - 1); },  //
                                             [n] { return fib_invoke(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fib_frame(unsigned n) {
  if (n < 2) {
    return n;
  }
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_frame, n - 1);
  std::uint64_t b = fib_frame(n - 2);
  frame.join();
  return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fib_problem, nopal_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(fib_invoke, unsigned{p.n}); }) &&
    enroll<fib_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { p.result = session.run(fib_frame, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
