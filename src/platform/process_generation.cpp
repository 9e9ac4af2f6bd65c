// SPDX-License-Identifier: Apache-2.0
#include "platform/process_generation.hpp"

#include <pthread.h>

#include <atomic>

namespace nopal::detail {
namespace {

std::atomic<unsigned> generation{0};

}  // namespace

unsigned process_generation() noexcept {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace nopal::detail
