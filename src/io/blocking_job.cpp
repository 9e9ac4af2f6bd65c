// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/io/blocking_job.hpp"

#include <cerrno>
#include <new>
#include <optional>
#include <system_error>

#include "io/backend.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "nopal/detail/wait/waiting_scope.hpp"

namespace nopal::detail {

bool blocking_job::begin(waiter& w) noexcept {
  waits_ = &w;
  int error = ENOMEM;
  try {
    error = io_backend::of_this_process().run(*this);
  } catch (const std::bad_alloc&) {
  }
  if (error == 0) return true;  // the job may be gone now
  error_ = error;
  return false;
}

/// Calls the function of a nopal::blocking on a helper thread, with the state of the strand that
/// waits for it.
void blocking_job::run_job(io_job& job) noexcept {
  auto& self = static_cast<blocking_job&>(job);
  const strand_state own = strand_state::of_caller();
  std::optional<waiting_scope> scope;  // what the function runs may be of another scheduler
  strand_state begins_with = self.state_;
  if (begins_with.scope != nullptr) begins_with.scope = &scope.emplace(begins_with.scope->source);
  begins_with.go_on_here();
  a_strand_waits_for_this_thread = true;
  self.call_(self);
  a_strand_waits_for_this_thread = false;
  self.state_.views = views_of_strand();
  own.go_on_here();
  self.waits_->go_on();  // the job may be gone now
}

void blocking_job::finish() const {
  if (error_ != 0)
    throw std::system_error(error_, std::system_category(),
                            "nopal::blocking: no helper thread can be started");
  set_views_of_strand(state_.views);
}

}  // namespace nopal::detail
