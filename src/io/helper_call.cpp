// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/io/helper_call.hpp"

#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "io/backend.hpp"

namespace nopal::detail {

void shared_job::begin(std::shared_ptr<shared_job> job) noexcept {
  shared_job& self = *job;
  self.kept_ = job;
  int failed = ENOMEM;
  try {
    failed = io_backend::of_this_process().run(self);
  } catch (const std::bad_alloc&) {
  }
  if (failed == 0) return;
  self.kept_.reset();
  self.error.assign(failed, std::system_category());
  self.is_done.set();
}

/// Does the job on a helper thread, which frees it if the caller has gone.
void shared_job::run_job(io_job& job) noexcept {
  auto& self = static_cast<shared_job&>(job);
  const std::shared_ptr<shared_job> kept = std::move(self.kept_);
  self.work();
  self.is_done.set();
}

}  // namespace nopal::detail
