// SPDX-License-Identifier: Apache-2.0
#include "nopal/runtime.hpp"

#include <optional>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "runtime/default_runtime.hpp"
#include "runtime/options.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal {

runtime::runtime() : runtime(options::from_environment()) {}
runtime::runtime(const options& o)
    : scheduler_(std::make_unique<detail::scheduler>(detail::checked(o))) {}
runtime::~runtime() = default;

unsigned runtime::workers() const noexcept { return scheduler_->workers(); }
bool runtime::is_current() const noexcept {
  return detail::this_worker() != nullptr &&
         &detail::this_scheduler_worker().runtime->lent()->runtime() == scheduler_.get();
}
statistics runtime::stats() const { return scheduler_->stats(); }

void runtime::run_erased(void (*call)(void*), void* argument) {
  detail::run_on_or_here(*scheduler_, call, argument);
}

unsigned workers() {
  if (detail::this_worker() != nullptr) return detail::this_scheduler_worker().runtime->workers();
  if (const std::optional<unsigned> known = detail::workers_of_default_runtime()) return *known;
  const unsigned wanted = detail::checked(options::from_environment()).workers;
  return wanted != 0 ? wanted : detail::default_workers(detail::topology());
}

namespace detail {

scheduler& scheduler_of(runtime& r) noexcept { return *r.scheduler_; }

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
