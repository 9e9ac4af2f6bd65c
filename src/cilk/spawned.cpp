// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/cilk/spawned.hpp"

#include <cxxabi.h>

std::size_t nopal_cilk_threw(nopal::detail::cilk_spawned* s, nopal::detail::suspension* frame,
                             void* exception) noexcept {
  nopal::detail::frame_join& f = nopal::detail::frame_join::of_child(frame);
  abi::__cxa_begin_catch(exception);
  if (!s->stealable || nopal::detail::take_back_newest()) {
    f.hold_exception();
    abi::__cxa_end_catch();
    return 1;
  }
  f.note_exception(s->order);
  abi::__cxa_end_catch();
  f.arrive(s->order);
}
