// SPDX-License-Identifier: Apache-2.0
#include "nopal/runtime.hpp"

#include <optional>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "platform/message.hpp"
#include "runtime/default_runtime.hpp"
#include "runtime/options.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal {

runtime::runtime() : runtime(options::from_environment()) {}
runtime::runtime(const options& o)
    : scheduler_(std::make_unique<detail::owned_scheduler>(detail::checked(o))) {}

/// Leaves nullptr behind. The memory of a static object outlives it, and destructors of other
/// objects may use it by mistake: they find nullptr. Compilers would leave out a store to an object
/// that ends, so the asm statement reads it. What is in flight may use the runtime until the
/// scheduler has ended, so the pointer stays as long.
runtime::~runtime() {
  delete scheduler_.get();
  static_cast<void>(scheduler_.release());
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

unsigned workers() {
  if (detail::this_worker() != nullptr)
    return detail::this_scheduler_worker().belongs_to->workers();
  if (const std::optional<unsigned> known = detail::workers_of_default_runtime()) return *known;
  const unsigned wanted = detail::checked(options::from_environment()).workers;
  return wanted != 0 ? wanted : detail::default_workers(detail::topology());
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

void run_on_default_or_here(void (*call)(void*), void* argument) {
  if (this_worker() != nullptr)
    call(argument);
  else
    run_on_default_runtime(call, argument);
}

void run_on_default_runtime(void (*f)(void*), void* argument) {
  struct entered {
    scheduler& workers = enter_default_scheduler();
    ~entered() { workers.finished(); }
  } of_default;
  run_on(of_default.workers, f, argument);
}

}  // namespace detail
}  // namespace nopal
