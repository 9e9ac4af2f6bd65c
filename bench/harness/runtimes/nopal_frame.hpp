// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/sessions/nopal.hpp"

#define BENCH_FUNCTION NOPAL_FORKS
#include "harness/runtimes/plain.hpp"

#define BENCH_SCOPE
#define BENCH_GROUP nopal::fork_frame frame;
#define BENCH_SPAWN(capture, f, args) frame.fork(f, BENCH_LIST args)
#define BENCH_SPAWN_TO(capture, to, f, args) frame.fork(&(to), f, BENCH_LIST args)
#define BENCH_LAST(f, args) \
  f args;                   \
  frame.join()
#define BENCH_LAST_TO(to, f, args) \
  (to) = f args;                   \
  frame.join()
#define BENCH_JOIN frame.join()
#define BENCH_LOOP(first, last, grain, part, object) frame_blocks<part>(first, last, grain, &object)
#include "harness/runtimes/statements.hpp"

namespace nopal_bench {

template <auto Part, class Object>
void frame_block(const Object* object, std::size_t first, std::size_t last) {
  std::invoke(Part, *object, first, last);
}

template <auto Part, class Object>
NOPAL_FORKS void frame_blocks(std::size_t first, std::size_t last, std::size_t grain,
                              const Object* object) {
  nopal::fork_frame frame;
  for (; first < last; first += grain) {
    frame.fork(frame_block<Part, Object>, object, first, std::min(first + grain, last));
  }
  frame.join();
}

template <class Problem, widest, class Kernel>
bool enroll_kernel(Kernel kernel) {
  return enroll<Problem, nopal_session>("frame", kernel);
}

}  // namespace nopal_bench
