// SPDX-License-Identifier: Apache-2.0
#include "nopal/runtime.hpp"

#include "platform/message.hpp"
#include "runtime/options.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal {

runtime::runtime() : runtime(options::from_environment()) {}
runtime::runtime(const options& o) : scheduler_(new detail::owned_scheduler(detail::checked(o))) {}

/// Leaves nullptr behind. The memory of a static object outlives it, and destructors of other
/// objects may use it by mistake: they find nullptr. Compilers would leave out a store to an object
/// that ends, so the asm statement reads it. What is in flight may use the runtime until the
/// scheduler has ended, so the pointer stays as long.
runtime::~runtime() {
  delete scheduler_;
  scheduler_ = nullptr;
  asm volatile("" : : "r"(this) : "memory");
}

unsigned runtime::workers() const noexcept { return detail::scheduler_of(*this).workers(); }
bool runtime::is_current() const noexcept {
  return detail::this_worker() != nullptr &&
         &detail::this_scheduler_worker().belongs_to->lent()->runtime() ==
             &detail::scheduler_of(*this);
}
statistics runtime::stats() const { return detail::scheduler_of(*this).stats(); }

void runtime::run_erased(void (*call)(void*), void* argument) {
  detail::run_on_or_here(detail::scheduler_of(*this), call, argument);
}

namespace detail {

scheduler& scheduler_of(const runtime& r) noexcept {
  if (r.scheduler_ == nullptr)
    misuse(
        "a nopal::runtime is used after its destructor, perhaps by the destructor of a static "
        "object that was made before it. Static objects are destroyed in the reverse order: make "
        "the runtime first, or call nopal::run, whose runtime outlives them");
  return *r.scheduler_;
}

}  // namespace detail
}  // namespace nopal
