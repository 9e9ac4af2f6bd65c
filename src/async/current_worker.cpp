// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/current_worker.hpp"

#include <memory>
#include <utility>

#include "platform/threads/kept_for_thread.hpp"

namespace nopal::detail {
namespace {

struct number_kept : kept_for_thread {
  worker_number number;
  void thread_ends() noexcept override;
};

constinit thread_local const number_kept* own_number = nullptr;

void number_kept::thread_ends() noexcept { own_number = nullptr; }

}  // namespace

unsigned number_of_thread() {
  if (own_number == nullptr) {
    auto made = std::make_unique<number_kept>();
    const number_kept* const own = made.get();
    keep_for_this_thread(std::move(made));
    own_number = own;
  }
  return own_number->number.value();
}

}  // namespace nopal::detail
