// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/strand/worker_number.hpp"

#include <atomic>
#include <utility>

#include "platform/unloading/at_unloading.hpp"

namespace nopal::detail {

/// A node is used again, and freed only by free_numbers().
struct worker_number::node {
  unsigned value;
  node* next = nullptr;
};

namespace {

// There is no lock here: a thread of the parent might hold it for ever in a child of fork(2).
constinit std::atomic<worker_number::node*> given_back{nullptr};
constinit std::atomic<unsigned> made{0};

void give_back(worker_number::node* first, worker_number::node* last) noexcept {
  last->next = given_back.load(std::memory_order_relaxed);
  // The release pairs with the acquire in take().
  while (!given_back.compare_exchange_weak(last->next, first, std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
}

/// Frees the numbers when the code of nopal is unmapped. \see at_unloading
void free_numbers(bool process_ends) noexcept {
  if (process_ends) return;
  // All workers have given their numbers back. The acquire pairs with the release in give_back().
  for (auto* n = given_back.exchange(nullptr, std::memory_order_acquire); n != nullptr;)
    delete std::exchange(n, n->next);
}

constinit at_unloading frees_numbers{unloading_step::memory, free_numbers};

/// Takes all nodes that have been given back, and gives back all except one. So no node is removed
/// from the middle of a list that others see.
worker_number::node* take() {
  // The acquire pairs with the release in give_back().
  worker_number::node* one = given_back.exchange(nullptr, std::memory_order_acquire);
  if (one == nullptr) {
    frees_numbers.note();
    return new worker_number::node{made.fetch_add(1, std::memory_order_relaxed)};
  }
  if (worker_number::node* rest = one->next) {
    worker_number::node* last = rest;
    while (last->next != nullptr) last = last->next;
    give_back(rest, last);
  }
  return one;
}

}  // namespace

worker_number::worker_number() : node_(take()), value_(node_->value) {}
worker_number::~worker_number() { give_back(node_, node_); }

}  // namespace nopal::detail
