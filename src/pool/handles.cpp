// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/handles.hpp"

#include <stdexcept>
#include <string>

#include "platform/message.hpp"

namespace nopal::detail {

unsigned pool_handles::take() {
  for (unsigned i = 0; i < entries_.size(); ++i)
    // Pairs with give_back().
    if (!entries_[i].is_out.exchange(true, std::memory_order_acq_rel)) return i;
  throw std::length_error("nopal: all " + std::to_string(entries_.size()) + " " + kind_ +
                          " of a pool are in use; pool_options::" + kind_ + " sets the limit");
}

pool_handles::~pool_handles() {
  for (const entry& e : entries_)
    if (e.is_out.load(std::memory_order_acquire))  // pairs with give_back()
      misuse(
          "a pool is destroyed while one of its producers or consumers exists; declare these "
          "handles after the pool, or destroy them first");
}

void pool_handles::used_by_two() noexcept {
  misuse("a handle of a pool is used by two threads at a time");
}

void pool_handles::moved_from() noexcept {
  misuse(
      "a producer or consumer of a pool is used that has been moved from. Use the handle that it "
      "was moved to, or assign another one to it first");
}

}  // namespace nopal::detail
