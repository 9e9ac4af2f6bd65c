// SPDX-License-Identifier: Apache-2.0
// Functions that lack a mark, with NOPAL_CHECK; see check_calls.py.
#include "nopal/fork_frame.hpp"

namespace {

[[maybe_unused]] void child() {}

#if NOPAL_REFUSED == 1
// says: this_function_must_be_marked_NOPAL_FORKS
void without_the_mark() {
  nopal::fork_frame frame;
  frame.fork(child);
}
#else
NOPAL_FORKS void without_the_mark() {
  nopal::fork_frame frame;
  frame.fork(child);
}
#endif

struct object {
#if NOPAL_REFUSED == 2
  // says: this_function_must_be_marked_NOPAL_FORKS
  nopal::fork_frame frame;  // a member: its constructor's function has no mark
#endif
};

template <class T>
NOPAL_FORKS void marked_template(T) {
  nopal::fork_frame frame;
  frame.fork(child);
}

}  // namespace

#if NOPAL_REFUSED == 0
void right() {}
#endif

void all() {
  without_the_mark();
  [[maybe_unused]] const object o;
  marked_template(1);
#if NOPAL_REFUSED == 3
  // says: this_function_must_be_marked_NOPAL_FORKS
  const auto closure = [] {
#else
  const auto closure = []() NOPAL_FORKS {
#endif
    nopal::fork_frame frame;
    frame.fork(child);
  };
  closure();
}
