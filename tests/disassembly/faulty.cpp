// SPDX-License-Identifier: Apache-2.0
// Functions that fork without what frame_join does to have their locals addressed from the frame
// pointer. The check must find each of them.
#include <array>

#include "nopal/detail/fork/fork_call.hpp"

using namespace nopal::detail;

void look_at(word*);

#if defined(__x86_64__)

// Over-aligned: the compiler moves the stack pointer, and addresses from there.
word forks_with_aligned_local(child_function child, suspension* frame) {
  asm volatile("" : : "r"(__builtin_frame_address(0)));
  alignas(64) std::array<word, 8> local{};
  look_at(local.data());
  fork_call(child, local[0], 1, frame, 2, 3, 4);
  return local[0] + local[1];
}

#else

// Nothing asks for a frame pointer; g++ keeps one, but with this flag addresses from the stack
// pointer all the same.
[[gnu::optimize("omit-frame-pointer")]] word forks_without_frame_pointer(child_function child,
                                                                         suspension* frame) {
  std::array<word, 8> local;
  look_at(local.data());
  fork_call(child, local[0], 1, frame, 2, 3, 4);
  return local[0] + local[1];
}

#endif
