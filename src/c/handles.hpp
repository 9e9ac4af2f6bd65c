// SPDX-License-Identifier: Apache-2.0
// What the opaque handles of C are.
#pragma once

#include "nopal/async/claim.hpp"
#include "nopal/async/task_scope.hpp"
#include "nopal/c/claim.h"
#include "nopal/c/runtime.h"
#include "nopal/c/scope.h"
#include "nopal/runtime.hpp"
#include "nopal/statistics.hpp"

struct nopal_runtime {
  nopal::runtime workers;
};

struct nopal_scope {
  nopal_scope() = default;
  explicit nopal_scope(nopal::runtime& r) : functions(r) {}
  explicit nopal_scope(nopal::claim& c) : functions(c) {}
  nopal::task_scope functions;
};

struct nopal_claim {
  nopal::claim workers;
};

namespace nopal::detail {

/// Returns the scheduler in which the caller runs, or that of the default runtime if the caller is
/// no worker. It counts the caller as in flight, so the caller calls finished() at its end.
scheduler& c_scheduler_here();

/// Puts a snapshot into the first `size` bytes of `to`.
int c_statistics(const statistics& from, nopal_statistics* to, std::size_t size) noexcept;

}  // namespace nopal::detail
