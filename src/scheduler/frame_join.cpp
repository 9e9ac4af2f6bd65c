// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/frame_join.hpp"

#include <memory>
#include <new>
#include <utility>

namespace nopal::detail {

// On a thief. Nobody else touches the frame's own fields: the victim, when it comes back, touches only the word, the list of
// exceptions and self_.home, which this strand reads after the last arrival.
void frame_join::run_stolen(continuation& c, worker& w) noexcept {
  auto& self = static_cast<frame_join&>(c);
  context& saved = self.self_.saved;
  char* home_sp = static_cast<char*>(saved.sp) + (self.state_ >= one_steal ? self.to_home_ : 0);
  const auto frame_bytes = static_cast<std::size_t>(static_cast<char*>(saved.fp) - home_sp);
  saved.ip = resume_address(saved);
  void* sp = fresh_stack_pointer(w, frame_bytes);
  self.to_home_ = home_sp - static_cast<char*>(sp);
  self.state_ += one_steal;
  continue_strand(w, self.self_, sp);
}

void frame_join::leave_at_join(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  self.uncaught_at_fork_ = self.self_.exceptions.uncaught;
  note_strand(self.self_);
  end_strand({announce_parent, &self, nullptr});
}

suspension* frame_join::announce_parent(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  const auto steals = static_cast<std::int64_t>(self.state_ / one_steal);
  return self.word_.add(steals) == 0 ? &self.self_ : nullptr;
}

suspension* frame_join::announce_child(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  return self.word_.add(-1) == 0 ? &self.self_ : nullptr;
}

void frame_join::arrive(std::exception_ptr&& e, std::uint64_t order, void* frame_address) noexcept {
  if (e != nullptr) note_exception(std::move(e), order);
  stack* here = current_stack_if_it_holds(this);
  if (here == nullptr) end_strand({announce_child, this, nullptr});
  // The first victim: the forking function's frame is on this stack, and whoever goes on with it needs to know. Of this
  // call's own frames only what fork_call reads of them stays: the address to go on at, just above frame_address.
  self_.home = here;
  context kept;
  kept.sp = frame_address;
  end_strand({announce_child, this, &kept});
}

void frame_join::note_exception(std::exception_ptr&& e, std::uint64_t order) noexcept {
  auto* node = new (std::nothrow) thrown_by_child{std::move(e), order, nullptr};
  if (node == nullptr) {
    out_of_memory_.store(true, std::memory_order_relaxed);  // published by the arrival
    return;
  }
  // Complete before this child arrives, and read only after the last one has: so the list may be broken in between.
  node->next = thrown_.exchange(node, std::memory_order_acq_rel);  // pairs with itself and with first_exception()
}

void frame_join::hold_exception() noexcept { new (held_) std::exception_ptr(std::current_exception()); }

void frame_join::rethrow_held() {
  auto* held = std::launder(reinterpret_cast<std::exception_ptr*>(held_));
  std::exception_ptr e = std::move(*held);
  std::destroy_at(held);
  std::rethrow_exception(std::move(e));
}

/// After the last arrival: the exception of the serially first child that threw. Makes the frame as new.
std::exception_ptr frame_join::first_exception() noexcept {
  strand_continued();
  word_.reset();
  state_ &= entered;
  std::exception_ptr first;
  std::uint64_t order = 0;
  for (thrown_by_child* node = thrown_.exchange(nullptr, std::memory_order_acquire); node != nullptr;) {  // note_exception()
    if (first == nullptr || node->order < order) {
      first = std::move(node->exception);
      order = node->order;
    }
    delete std::exchange(node, node->next);
  }
  if (first == nullptr && out_of_memory_.exchange(false, std::memory_order_relaxed))
    first = std::make_exception_ptr(std::bad_alloc());
  return first;
}

void frame_join::finish_join() {
  if (std::exception_ptr e = first_exception()) std::rethrow_exception(std::move(e));
}

void frame_join::finish_frame() {
  std::exception_ptr e;
  if (state_ >= one_steal) {
    e = first_exception();
    // One more on its way than at the fork: the function is being left by an exception, which goes on.
    if (this_worker()->exceptions->uncaught > uncaught_at_fork_) e = nullptr;
  }
  if (state_ == entered) leave_default_runtime();
  state_ = 0;
  if (e != nullptr) std::rethrow_exception(std::move(e));
}

}  // namespace nopal::detail
